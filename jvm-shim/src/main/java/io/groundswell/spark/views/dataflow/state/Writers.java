package io.groundswell.spark.views.dataflow.state;

import io.groundswell.spark.views.contract.barrier.Locality;
import java.util.HashMap;
import java.util.Map;

/** Which executor wrote each partition of a state last: there it is open. */
public final class Writers {
  private final Map<String, Map<Integer, String>> last = new HashMap<>();
  private long written;
  private long moved;

  /** Notes that an executor has written a partition. */
  public void note(String state, int partition, String executor) {
    String before = last.computeIfAbsent(state, any -> new HashMap<>()).put(partition, executor);
    written++;
    if (before != null && !before.equals(executor)) {
      moved++;
    }
  }

  /** What was noted since this was last asked for. */
  public Locality taken() {
    Locality result = new Locality(written, moved);
    written = 0;
    moved = 0;
    return result;
  }
}
