package io.groundswell.spark.views.operator.rank;

import io.groundswell.spark.views.contract.dataflow.part.RankLimitSpec;
import io.groundswell.spark.views.operator.spi.Refs;
import java.io.Serializable;

/** How much of an ordered partition a query looks at: rows whose rank is at most {@code limit}. */
public record RankLimit(String function, int limit) implements Serializable {
  /** The limit that an operator describes; null if it has none. */
  public static RankLimit of(RankLimitSpec limit, Refs refs) {
    if (limit == null) {
      return null;
    }
    String function = limit.fn();
    if (!function.equals("row_number") && !function.equals("rank")
        && !function.equals("dense_rank")) {
      throw refs.invalid("limits by " + function + "; there are row_number, rank and dense_rank");
    }
    return new RankLimit(function, limit.limit());
  }

  public Counter counter() {
    return new Counter();
  }

  /** Counts the rows of one partition. */
  public final class Counter {
    private int rows;
    private int rank;

    /** Whether the next row is within the limit; {@code peer}: it ties with the one before. */
    public boolean admits(boolean peer) {
      rows++;
      if (rows == 1 || !peer || function.equals("row_number")) {
        rank = function.equals("dense_rank") ? rank + 1 : rows;
      }
      return rank <= limit;
    }
  }
}
