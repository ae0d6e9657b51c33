package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

  private static void live(Random random, Map<String, Long> all) {
    StoreModelRun run = new StoreModelRun(random, true);
    run.steps(500);
    run.counters.forEach((name, count) -> all.merge(name, count, Long::sum));
  }

  private static List<String> missing(Map<String, Long> all) {
    return KINDS.stream().filter(kind -> all.get(kind) == 0).toList();
  }
}
