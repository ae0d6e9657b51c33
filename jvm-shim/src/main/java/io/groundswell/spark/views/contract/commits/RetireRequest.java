// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * Which files of states must stay.
 *
 * @param epoch the newest one that is durable
 * @param oldest commits of the oldest epoch that readers may name; files that merges have made
 *     since, and that no commit refers to yet, stay
 * @param needed of each state, the oldest commits that must stay with all that came later
 * @param newest commits of the newest epoch, and of states that no epoch names any more but that
 *     stay: what these need stays, whatever else is asked for
 * @param oldestEpoch the oldest epoch that readers may name
 * @param wholeEpoch the epoch from which on operators' own state is needed
 */
public record RetireRequest(long epoch, Map<String, List<CommitRef>> oldest,
    Map<String, List<CommitRef>> needed, Map<String, List<CommitRef>> newest, long oldestEpoch,
    long wholeEpoch) implements Serializable {
  private static final long serialVersionUID = 1L;

  public RetireRequest {
    oldest = Checks.map(oldest, "oldest");
    needed = Checks.map(needed, "needed");
    newest = Checks.map(newest, "newest");
  }
}
