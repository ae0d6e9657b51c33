package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Random operations on a store against plain maps, over random options. */
class StoreModelTest {
  @Test
  void behavesLikeMaps() {
    Seeds.each(20, random -> new StoreModelRun(random, false).steps(400));
  }

  /** Every kind of merge comes up, or what the maps agree with would say little. */
  @Test
  void behavesLikeMapsWhileMergesRunInTheBackground() {
    Map<String, Long> all = new HashMap<>();
    Seeds.each(12, random -> {
      StoreModelRun run = new StoreModelRun(random, true);
      run.steps(500);
      run.counters.forEach((name, count) -> all.merge(name, count, Long::sum));
    });
    if (Long.getLong("groundswell.seed") == null) {
      for (String kind :
          List.of("compactionTier", "compactionIntra", "compactionBase", "compactionLevel",
              "compactionMove", "compactionReclaim", "compactionFull", "filesDropped")) {
        assertTrue(all.get(kind) > 0, "no " + kind + " in " + all);
      }
    }
  }
}
