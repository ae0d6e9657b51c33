// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.Map;

/**
 * The event-time watermarks of a barrier: no row that comes through from now on is older.
 *
 * @param before by source, microseconds: those of the barrier before
 * @param now those of this one; a source that is not there has none yet
 * @param clock the time of the barrier, microseconds; null: none is told
 */
public record Watermarks(Map<String, Long> before, Map<String, Long> now, Long clock)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public Watermarks {
    before = Checks.map(before, "before");
    now = Checks.map(now, "now");
  }
}
