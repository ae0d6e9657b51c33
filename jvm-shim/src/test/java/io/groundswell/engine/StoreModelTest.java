package io.groundswell.engine;

import io.groundswell.testing.Seeds;
import org.junit.jupiter.api.Test;

/** Random operations on a store against plain maps, over random options. */
class StoreModelTest {
  @Test
  void behavesLikeMaps() {
    Seeds.each(20, random -> new StoreModelRun(random, false).steps(400));
  }

  @Test
  void behavesLikeMapsWhileMergesRunInTheBackground() {
    Seeds.each(8, random -> new StoreModelRun(random, true).steps(400));
  }
}
