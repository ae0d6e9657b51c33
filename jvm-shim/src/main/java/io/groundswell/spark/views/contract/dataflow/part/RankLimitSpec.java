// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * Only rows up to a rank are wanted.
 *
 * @param fn which rank: {@code row_number}, {@code rank} or {@code dense_rank}
 * @param limit the last one that is wanted
 */
public record RankLimitSpec(String fn, int limit) implements Serializable {
  private static final long serialVersionUID = 1L;

  public RankLimitSpec {
    Checks.present(fn, "fn");
  }
}
