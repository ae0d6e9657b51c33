package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SharedPacksTest {
  /** An executor that is gone is asked for nothing, and what it had is not taken for written. */
  @Test
  void whatNobodyHasWrittenIsLeft() {
    Map<String, Set<String>> packs = Map.of("1", Set.of("a", "b"), "2", Set.of("c"));
    assertEquals(packs, SharedPacks.without(packs, Set.of()));
    assertEquals(Map.of("1", Set.of("b")), SharedPacks.without(packs, Set.of("a", "c")));
    assertEquals(Map.of(), SharedPacks.without(packs, Set.of("a", "b", "c")));
  }
}
