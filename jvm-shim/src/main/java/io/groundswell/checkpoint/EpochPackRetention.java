package io.groundswell.checkpoint;

import com.google.common.collect.Lists;
import io.groundswell.storage.FailPoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Deletes packs of epochs that no retained epoch needs. Run by the owner of the checkpoint alone.
 *
 * <p>A version's rows are in packs that the version below needs, too, or in packs of its own epoch.
 * So of the packs up to the oldest epoch that is retained those stay that a commit of that very
 * epoch needs, and all later ones stay. What a task wrote that failed, or ran twice, or that a dead
 * run never published, is named by nobody, and goes when the oldest epoch has passed it.
 */
public final class EpochPackRetention {
  /** Object stores delete so many by one request. */
  private static final int AT_ONCE = 250;

  private EpochPackRetention() {}

  /**
   * From where on packs stay.
   *
   * @param readable the oldest epoch that readers may name
   * @param own the epoch that the next barrier builds on at least, for operators' own state
   */
  public record Bounds(long readable, long own) {
    boolean covers(String id) {
      return EpochIds.epochOf(id) <= (EpochIds.groupOf(id) == EpochIds.OWN ? own : readable);
    }
  }

  /** Checks that the location is this run's still. */
  @FunctionalInterface
  public interface Claim {
    void check() throws IOException;
  }

  /** What is needed of packs. */
  @FunctionalInterface
  public interface Needs {
    Set<String> packs() throws IOException;
  }

  /**
   * What may go.
   *
   * @param names of packs
   * @param needed packs that commits of the oldest epoch need, and of all states that are kept
   */
  static List<String> deletable(Collection<String> names, Set<String> needed, Bounds bounds) {
    List<String> result = new ArrayList<>();
    for (String name : names) {
      String id = EpochIds.idOf(name);
      if (id != null && bounds.covers(id) && !needed.contains(name)) {
        result.add(name);
      }
    }
    return result;
  }

  /**
   * One listing, then deletes what may go.
   *
   * @param needs asked for only if something may have to go
   * @param inUse packs that live readers of this process need, as of after the listing
   * @param claim checked after the listing: what a later owner writes was not in there
   * @return how many went
   */
  public static int run(EpochPacks folder, Bounds bounds, Needs needs, Supplier<Set<String>> inUse,
      Claim claim) throws IOException {
    List<String> names = deletable(folder.names(), Set.of(), bounds);
    if (names.isEmpty()) {
      return 0;
    }
    names = deletable(names, needs.packs(), bounds);
    names.removeAll(inUse.get());
    if (names.isEmpty()) {
      return 0;
    }
    claim.check();
    int deleted = 0;
    for (List<String> some : Lists.partition(names, AT_ONCE)) {
      FailPoints.hit("packs.before-delete");
      deleted += folder.deleteAll(some);
      FailPoints.hit("packs.after-delete");
    }
    return deleted;
  }
}
