package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Times stand in hours, so that what the machine does meanwhile does not matter. */
class TaskClockTest {
  private static final long HOUR = 3_600_000_000_000L;

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
    timed(reader, () -> timed(below, () -> below.add(50 * HOUR)));
    reader.add(50 * HOUR); // as if the call had taken that long
    reader.add(7 * HOUR);
    assertEquals(50, below.micros() * 1_000 / (double) HOUR, 0.5);
    assertEquals(7, reader.micros() * 1_000 / (double) HOUR, 0.5);
  }

  @Test
  void aClockThatNobodyInterruptsIsItsOwn() {
    TaskClock first = new TaskClock();
    TaskClock second = new TaskClock();
    timed(first, () -> first.add(9 * HOUR));
    timed(second, () -> second.add(3 * HOUR));
    assertEquals(9, first.micros() * 1_000 / (double) HOUR, 0.5);
    assertEquals(3, second.micros() * 1_000 / (double) HOUR, 0.5);
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
