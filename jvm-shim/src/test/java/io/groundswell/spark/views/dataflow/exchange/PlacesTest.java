package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacesTest {
  private final Places places = new Places();

  @Test
  void withoutExecutorsSparkMayChoose() {
    places.renew(List.of());
    assertEquals(List.of(), places.of("s", 4));
  }

  @Test
  void neighboursAreOnOneExecutor() {
    places.renew(List.of("a", "b"));
    assertEquals(List.of("a", "a", "b", "b"), places.of("s", 4));
    assertEquals(List.of("a", "a", "b"), places.of("t", 3));
  }

  @Test
  void aNewExecutorTakesThePlaceOfTheOneThatHasGone() {
    places.renew(List.of("a", "b", "c"));
    List<String> before = places.of("s", 6);
    places.renew(List.of("a", "c", "d"));
    List<String> after = places.of("s", 6);
    Collections.replaceAll(before, "b", "d");
    assertEquals(before, after);
  }

  @Test
  void whereOneHasGoneTheOthersDoItsWork() {
    places.renew(List.of("a", "b"));
    places.renew(List.of("b"));
    assertEquals(List.of("b", "b"), places.of("s", 2));
    places.renew(List.of());
    assertEquals(List.of(), places.of("s", 2));
    places.renew(List.of("c", "d"));
    assertEquals(List.of("c", "d"), places.of("s", 2));
  }

  @Test
  void statesOfOnePartitionDoNotAllMeetOnOneExecutor() {
    places.renew(List.of("a", "b", "c"));
    Set<String> used = new HashSet<>();
    for (int state = 0; state < 30; state++) {
      used.addAll(places.of("state" + state, 1));
      assertEquals(2, new HashSet<>(places.of("state" + state, 2)).size());
    }
    assertTrue(used.containsAll(List.of("a", "b", "c")));
  }
}
