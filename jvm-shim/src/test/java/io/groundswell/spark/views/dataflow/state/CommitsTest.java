package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.contract.commits.CommitRef;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommitsTest {
  @Test
  void aStateTheEpochDoesNotKnowIsNotAnEmptyOne() {
    assertNull(Commits.of(Map.of(), "s", 2));
    assertEquals(0, Commits.none(2).get(1).version());
  }

  @Test
  void anotherNumberOfPartitionsIsRefused() {
    Map<String, List<CommitRef>> base = Map.of("s", Commits.none(2));
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Commits.of(base, "s", 4));
    assertTrue(e.getMessage().contains("2 partitions") && e.getMessage().contains("with 4"));
  }
}
