// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import java.io.Serializable;

/**
 * Which epochs' changes are asked for; without any bound, all rows and all that come.
 *
 * @param after those after that one; negative: all rows of epoch {@code -after - 1}, and those
 *     after it
 * @param until the last of these
 * @param first the first one, as SQL says its version
 * @param last the last one, as SQL says its version; null: the newest
 * @param firstMicros in place of {@code first}: the newest one that was published by then
 * @param lastMicros in place of {@code last}
 * @param firstInclusive whether the first one's changes are among them
 * @param lastInclusive whether the last one's are
 * @param newest begin with all rows of the newest one
 */
public record EpochRange(Long after, Long until, String first, String last, Long firstMicros,
    Long lastMicros, boolean firstInclusive, boolean lastInclusive, boolean newest)
    implements Serializable {
  private static final long serialVersionUID = 1L;
}
