package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TaskClockTest {
  private static void timed(TaskClock clock, Runnable call) {
    assertTrue(clock.isDue());
    long entered = clock.enter();
    call.run();
    clock.leave(entered);
  }

  @Test
  void whatThoseBelowTakeIsNotItsOwn() {
    TaskClock reader = new TaskClock();
    TaskClock below = new TaskClock();
    timed(reader, () -> timed(below, () -> below.add(50_000_000)));
    reader.add(50_000_000); // as if the call had taken that long
    reader.add(7_000_000);
    assertEquals(50_000, below.micros(), 5_000);
    assertEquals(7_000, reader.micros(), 5_000);
  }

  @Test
  void aClockThatNobodyInterruptsIsItsOwn() {
    TaskClock first = new TaskClock();
    TaskClock second = new TaskClock();
    timed(first, () -> first.add(9_000_000));
    timed(second, () -> second.add(3_000_000));
    assertEquals(9_000, first.micros(), 3_000);
    assertEquals(3_000, second.micros(), 3_000);
  }

  @Test
  void afterTheFirstCallsOneInManyIsTimed() {
    TaskClock clock = new TaskClock();
    int due = 0;
    for (int call = 0; call < TaskClock.EXACT + 10 * TaskClock.EVERY; call++) {
      due += clock.isDue() ? 1 : 0;
    }
    assertEquals(TaskClock.EXACT + 10, due);
  }
}
