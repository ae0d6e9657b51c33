// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.capture;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A condition.
 *
 * @param whole the condition
 * @param parts what must hold, each, if these are several; else empty
 */
public record ConditionDescription(ExpressionDescription whole, List<ExpressionDescription> parts)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public ConditionDescription {
    Checks.present(whole, "whole");
    parts = Checks.list(parts, "parts");
  }
}
