package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.spark.views.dataflow.state.Retiring.Partition;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RetiringTest {
  private static final String FOLDER = "state/s/0";

  private static final long FOREVER = 600_000;

  private final Queue<Partition> done = new ConcurrentLinkedQueue<>();
  private final CountDownLatch gate = new CountDownLatch(1);

  private static List<Partition> at(long version) {
    return List.of(new Partition(FOLDER, version, version - 1));
  }

  /** Deletes that stand until the gate is opened. */
  private int held(Partition partition) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    done.add(partition);
    return 3;
  }

  @Test
  void whatHasNotChangedIsNotLookedAtAgain() throws Exception {
    gate.countDown();
    try (Retiring retiring = new Retiring(this::held)) {
      for (long version : new long[] {5, 5, 6, 6}) {
        retiring.begin(version, at(version));
        retiring.finish(FOREVER);
      }
      assertEquals(List.of(5L, 6L), done.stream().map(Partition::needed).toList());
      assertEquals(0, retiring.report(6).partitions());
    }
  }

  @Test
  void aRoundThatWaitsGivesWayToALaterOne() throws Exception {
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, at(2));
      retiring.begin(2, at(3));
      retiring.begin(3, at(4));
      assertEquals(4, retiring.report(5).behindEpochs());
      gate.countDown();
      retiring.finish(FOREVER);
      assertEquals(List.of(2L, 4L), done.stream().map(Partition::needed).toList());
      assertEquals(3, retiring.report(5).files());
      assertEquals(0, retiring.report(5).behindEpochs());
    }
  }

  @Test
  void barriersWaitForARoundThatIsFarBehind() throws Exception {
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, at(2));
      Thread barrier = new Thread(() -> retiring.begin(1 + Retiring.MOST_EPOCHS, at(12)));
      barrier.start();
      while (barrier.getState() != Thread.State.WAITING) {
        assertTrue(barrier.isAlive(), "it did not wait");
        Thread.onSpinWait();
      }
      gate.countDown();
      barrier.join();
      retiring.finish(FOREVER);
      assertEquals(List.of(2L, 12L), done.stream().map(Partition::needed).toList());
    }
  }

  @Test
  void whatFailedComesAgainAndTwoFailuresEndThePipeline() throws Exception {
    int[] left = {1};
    try (Retiring retiring = new Retiring(partition -> {
      if (left[0]-- > 0) {
        throw new IllegalStateException("no rights to " + partition.folder());
      }
      done.add(partition);
      return 1;
    })) {
      retiring.begin(1, at(2));
      retiring.finish(FOREVER);
      assertTrue(retiring.report(1).failure().contains("no rights to state/s/0"));
      retiring.begin(2, at(2));
      retiring.finish(FOREVER);
      assertEquals(1, done.size());
      assertNull(retiring.report(2).failure());
      left[0] = 2;
      for (long epoch : new long[] {3, 4}) {
        retiring.begin(epoch, at(epoch));
        retiring.finish(FOREVER);
      }
      EngineException error = assertThrows(EngineException.class, () -> retiring.begin(5, at(5)));
      assertTrue(error.getMessage().contains("could not be deleted, twice: no rights"));
    }
  }

  @Test
  void theEndWaitsForWhatWasAskedForAndNothingComesAfterIt() throws Exception {
    Retiring retiring = new Retiring(this::held);
    retiring.begin(1, at(2));
    retiring.begin(2, at(3));
    Thread end = new Thread(retiring::close);
    end.start();
    while (end.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    gate.countDown();
    end.join();
    retiring.begin(3, at(4));
    assertEquals(List.of(2L, 3L), done.stream().map(Partition::needed).toList());
  }
}
