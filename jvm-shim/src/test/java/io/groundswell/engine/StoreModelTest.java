package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.storage.FastPath;
import io.groundswell.testing.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random operations on a store against plain maps, over random options. */
class StoreModelTest {
  @Test
  void behavesLikeMaps() {
    Seeds.each(20, random -> new StoreModelRun(random, false).steps(400));
  }

  private static final List<String> KINDS =
      List.of("compactionTier", "compactionIntra", "compactionBase", "compactionLevel",
          "compactionMove", "compactionReclaim", "compactionFull", "filesDropped");

  /**
   * Every kind of merge comes up, or what the maps agree with would say little: lives go on until
   * the rare ones did.
   */
  @Test
  void behavesLikeMapsWhileMergesRunInTheBackground() {
    Map<String, Long> all = new HashMap<>();
    Seeds.each(12, random -> live(random, all));
    if (Long.getLong("groundswell.seed") == null) {
      for (int more = 0; more < 300 && !missing(all).isEmpty(); more++) {
        Seeds.each(1, random -> live(random, all));
      }
      assertEquals(List.of(), missing(all), all.toString());
    }
  }

  /** A shorter way that is refused leads to the same rows. */
  @Test
  void behavesLikeMapsWhateverFastPathsAreRefused() {
    long[] refused = new long[FastPath.values().length];
    Seeds.each(12, random -> {
      FastPath.refuse(random.nextLong(), random.nextDouble());
      try {
        new StoreModelRun(random, true).steps(500);
      } finally {
        FastPath.open();
      }
      for (FastPath path : FastPath.values()) {
        refused[path.ordinal()] += path.refused();
      }
    });
    if (Long.getLong("groundswell.seed") == null) {
      for (FastPath path : List.of(
               FastPath.FILTER, FastPath.CACHED_BLOCK, FastPath.MOVED_FILE, FastPath.DEAD_FILE)) {
        assertTrue(refused[path.ordinal()] > 0, path + " was not asked");
      }
    }
  }

  private static void live(Random random, Map<String, Long> all) {
    StoreModelRun run = new StoreModelRun(random, true);
    run.steps(500);
    run.counters.forEach((name, count) -> all.merge(name, count, Long::sum));
  }

  private static List<String> missing(Map<String, Long> all) {
    return KINDS.stream().filter(kind -> all.get(kind) == 0).toList();
  }
}
