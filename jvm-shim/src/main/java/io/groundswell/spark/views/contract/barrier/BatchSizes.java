// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.Map;

/**
 * How much a batch is.
 *
 * @param sources by id, of those that have news
 */
public record BatchSizes(Map<String, BatchSize> sources) implements Serializable {
  private static final long serialVersionUID = 1L;

  public BatchSizes {
    sources = Checks.map(sources, "sources");
  }
}
