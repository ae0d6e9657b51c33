package io.groundswell.spark.views.dataflow.state;

import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.Executors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The packs that the tasks of a barrier share, one set a process. When the last task has ended the
 * driver has each process write its own; until then they are in its memory alone. One that is lost
 * with its process is reported, and its barrier is to be run again.
 *
 * @param root the folder that has the states
 * @param number of the barrier among those of the application
 */
public record SharedPacks(SparkSession session, Configuration conf, String root, long number) {
  /** Spark may send a task elsewhere where the executor that it was for is busy. */
  private static final int TRIES = 3;

  /** What one process is to write. */
  private record Share(String place, List<String> names) {}

  /**
   * Makes packs durable.
   *
   * @param packs names by the executor that has them
   * @throws EngineException {@code CHECKPOINT_LOST} if a process that had one is gone
   */
  public void publish(Map<String, Set<String>> packs) {
    if (packs.isEmpty()) {
      return;
    }
    EpochPacks here = StoreRegistry.packsOf(root, conf);
    if (session.sparkContext().isLocal()) {
      Set<String> all = new TreeSet<>();
      packs.values().forEach(all::addAll);
      check(here, here.publishShared(number, List.copyOf(all)));
      return;
    }
    Map<String, Set<String>> left = packs;
    for (int tries = 0; tries < TRIES && !left.isEmpty(); tries++) {
      left = without(left, written(shares(left)));
    }
    List<String> lost = new ArrayList<>();
    left.values().forEach(lost::addAll);
    check(here, lost);
  }

  /**
   * Keeps packs in memory, to be made durable while later barriers are at work; all are in this
   * process.
   *
   * @return whether there are any
   */
  public boolean keep(Map<String, Set<String>> packs) {
    Set<String> all = new TreeSet<>();
    packs.values().forEach(all::addAll);
    if (all.isEmpty()) {
      return false;
    }
    EpochPacks here = StoreRegistry.packsOf(root, conf);
    check(here, here.keepShared(number, List.copyOf(all)));
    return true;
  }

  /** The packs that are not among these. */
  static Map<String, Set<String>> without(Map<String, Set<String>> packs, Set<String> these) {
    Map<String, Set<String>> left = new TreeMap<>();
    packs.forEach((executor, names) -> {
      Set<String> some = new TreeSet<>(names);
      some.removeAll(these);
      if (!some.isEmpty()) {
        left.put(executor, some);
      }
    });
    return left;
  }

  /** What each executor is to write that is there; of others nothing is asked. */
  private List<Share> shares(Map<String, Set<String>> packs) {
    List<Share> shares = new ArrayList<>();
    for (String place : Executors.locations(session.sparkContext())) {
      Set<String> names = packs.get(Executors.idOf(place));
      if (names != null) {
        shares.add(new Share(place, List.copyOf(names)));
      }
    }
    return shares;
  }

  /** Has executors write, as one job; gives the packs that are durable then. */
  private Set<String> written(List<Share> shares) {
    Broadcast<SerializableConfiguration> sent =
        SerializableConfiguration.broadcast(session.sparkContext(), conf);
    String states = root;
    long barrier = number;
    Set<String> written = new TreeSet<>();
    shares.forEach(share -> written.addAll(share.names()));
    try {
      Executors
          .at(session.sparkContext(), shares.stream().map(Share::names).toList(),
              shares.stream().map(Share::place).toList())
          .flatMap(names
              -> StoreRegistry.packsOf(states, sent.value().value())
                  .publishShared(barrier, names)
                  .iterator())
          .collect()
          .forEach(written::remove); // they were not there
      return written;
    } finally {
      sent.destroy();
    }
  }

  /** An executor may have written its packs and died before it said so. */
  private static void check(EpochPacks folder, List<String> missing) {
    for (String name : missing) {
      try {
        if (!folder.has(name)) {
          throw new EngineException(ErrorCode.CHECKPOINT_LOST,
              folder.locationOf(name)
                  + " was in the memory of a process that is gone, or that does not answer: the"
                  + " barrier is to be run again");
        }
      } catch (IOException e) {
        throw new EngineException(
            ErrorCode.STORAGE, "cannot look for " + folder.locationOf(name) + ": " + e, e);
      }
    }
  }

  /** Forgets what nobody will make durable; processes elsewhere do so at the next barrier. */
  public void discard() {
    StoreRegistry.packsOf(root, conf).endShared(number);
  }
}
