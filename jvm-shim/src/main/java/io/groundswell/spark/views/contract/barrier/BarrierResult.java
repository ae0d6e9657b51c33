// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.barrier;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.commits.CommitRef;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * What a barrier made.
 *
 * @param commits of every state that is not as in the base, by partition
 * @param operators counters by operator id
 * @param sources rows taken, by id of the source
 * @param readMicros what reading took, by id of the source, where it took any
 * @param eventTimes by id of the source, of those that have one
 * @param millis how long it took
 * @param taken files of tables that it has taken in, by path below the tables' folder
 * @param retirement of the rounds of deletes before
 * @param unchanged the states that are as in the base
 * @param locality whether states were worked on where they are open
 * @param rounds how many its recursions took
 * @param uses what the stores behind operators did, by operator id, of those that did something
 * @param cache what the block caches did
 * @param waiting numbers under which its commits wait to be made durable; none: all are
 */
public record BarrierResult(Map<String, List<CommitRef>> commits,
    Map<String, OperatorTotals> operators, Map<String, Long> sources, Map<String, Long> readMicros,
    Map<String, EventTimes> eventTimes, BarrierMillis millis, List<String> taken,
    Retirement retirement, List<String> unchanged, Locality locality, int rounds,
    Map<String, StateUse> uses, CacheUse cache, List<Long> waiting) implements Serializable {
  private static final long serialVersionUID = 1L;

  public BarrierResult {
    commits = Checks.map(commits, "commits");
    operators = Checks.map(operators, "operators");
    sources = Checks.map(sources, "sources");
    readMicros = Checks.map(readMicros, "readMicros");
    eventTimes = Checks.map(eventTimes, "eventTimes");
    Checks.present(millis, "millis");
    taken = Checks.list(taken, "taken");
    Checks.present(retirement, "retirement");
    unchanged = Checks.list(unchanged, "unchanged");
    Checks.present(locality, "locality");
    uses = Checks.map(uses, "uses");
    Checks.present(cache, "cache");
    waiting = Checks.list(waiting, "waiting");
  }
}
