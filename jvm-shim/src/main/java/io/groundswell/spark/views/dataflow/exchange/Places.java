package io.groundswell.spark.views.dataflow.exchange;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which executor a partition of a state is to be worked on by, barrier after barrier: there its
 * files are open and what was read of them is in memory.
 *
 * <p>Neighbouring partitions are on one executor, as {@link GroupedRdd} has them in one task, and
 * partitions of equal number of all states. An executor that comes for one that has gone takes its
 * place; when there are more or fewer, partitions move.
 */
public final class Places {
  private final List<String> places = new ArrayList<>();

  /**
   * Learns which executors there are.
   *
   * @param alive none: tasks run in the driver
   */
  public void renew(List<String> alive) {
    Set<String> here = new HashSet<>(alive);
    Set<String> known = new HashSet<>(places);
    List<String> come = new ArrayList<>(alive);
    come.removeIf(known::contains);
    for (int place = 0; place < places.size(); place++) {
      if (!here.contains(places.get(place))) {
        places.set(place, come.isEmpty() ? null : come.remove(0));
      }
    }
    places.removeIf(gone -> gone == null);
    places.addAll(come);
  }

  /**
   * The place of each partition of a state; of a state with fewer than there are executors, by its
   * name, so that not all of them meet on the first one.
   *
   * @return none: Spark may choose
   */
  public List<String> of(String state, int partitions) {
    if (places.isEmpty()) {
      return List.of();
    }
    int count = places.size();
    int shift = partitions < count ? Math.floorMod(state.hashCode(), count) : 0;
    List<String> result = new ArrayList<>(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      int place = partitions < count ? (partition + shift) % count
                                     : (int) ((long) partition * count / partitions);
      result.add(places.get(place));
    }
    return result;
  }
}
