package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.FencedException;
import io.groundswell.spark.views.dataflow.state.Retiring.Partition;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetiringTest {
  private static final String FOLDER = "state/s/0";

  private static final long FOREVER = 600_000;

  private static final Retiring.Claim MINE = () -> {};

  private final Queue<Partition> done = new ConcurrentLinkedQueue<>();
  private volatile CountDownLatch gate = new CountDownLatch(1);

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
        retiring.begin(version, at(version), MINE);
        retiring.finish(FOREVER);
      }
      assertEquals(List.of(5L, 6L), done.stream().map(Partition::needed).toList());
      assertEquals(0, retiring.report(6).partitions());
    }
  }

  @Test
  void whatHasNotChangedIsLookedAtInTurns() throws Exception {
    gate.countDown();
    List<Partition> all =
        IntStream.range(0, 20).mapToObj(i -> new Partition("state/s/" + i, 5, 4)).toList();
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(0, all, MINE);
      retiring.finish(FOREVER);
      assertEquals(Set.copyOf(all), Set.copyOf(done));
      done.clear();
      for (long epoch = 1; epoch <= 10; epoch++) {
        retiring.begin(epoch, all, MINE);
        retiring.finish(FOREVER);
        assertEquals(2, retiring.report(epoch).partitions());
      }
      assertEquals(Set.copyOf(all), Set.copyOf(done));
      assertEquals(20, done.size());
    }
  }

  @Test
  void whoseTurnWasInARoundThatGaveWayComesWithTheNext() throws Exception {
    List<Partition> all =
        IntStream.range(0, 10).mapToObj(i -> new Partition("state/s/" + i, 5, 4)).toList();
    gate = new CountDownLatch(0);
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(0, all, MINE);
      retiring.finish(FOREVER);
      done.clear();
      gate = new CountDownLatch(1);
      for (long epoch = 1; epoch <= 3; epoch++) {
        retiring.begin(epoch, all, MINE);
      }
      gate.countDown();
      retiring.finish(FOREVER);
      assertEquals(Set.copyOf(all.subList(1, 4)), Set.copyOf(done));
    }
  }

  @Test
  @Reaches(Mark.ROUND_REPLACED)
  void aRoundThatWaitsGivesWayToALaterOne() throws Exception {
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, at(2), MINE);
      retiring.begin(2, at(3), MINE);
      retiring.begin(3, at(4), MINE);
      assertEquals(4, retiring.report(5).behindEpochs());
      gate.countDown();
      retiring.finish(FOREVER);
      assertEquals(List.of(2L, 4L), done.stream().map(Partition::needed).toList());
      assertEquals(3, retiring.report(5).files());
      assertEquals(0, retiring.report(5).behindEpochs());
    }
  }

  @Test
  @Reaches(Mark.BARRIER_WAITS_FOR_ROUND)
  void barriersWaitForARoundThatIsFarBehind() throws Exception {
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, at(2), MINE);
      Thread barrier = new Thread(() -> retiring.begin(1 + Retiring.MOST_EPOCHS, at(12), MINE));
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
      retiring.begin(1, at(2), MINE);
      retiring.finish(FOREVER);
      assertTrue(retiring.report(1).failure().contains("no rights to state/s/0"));
      retiring.begin(2, at(2), MINE);
      retiring.finish(FOREVER);
      assertEquals(1, done.size());
      assertNull(retiring.report(2).failure());
      left[0] = 2;
      for (long epoch : new long[] {3, 4}) {
        retiring.begin(epoch, at(epoch), MINE);
        retiring.finish(FOREVER);
      }
      EngineException error =
          assertThrows(EngineException.class, () -> retiring.begin(5, at(5), MINE));
      assertTrue(error.getMessage().contains("could not be deleted, twice: no rights"));
    }
  }

  @Test
  void theEndWaitsForWhatWasAskedForAndNothingComesAfterIt() throws Exception {
    Retiring retiring = new Retiring(this::held);
    retiring.begin(1, at(2), MINE);
    retiring.begin(2, at(3), MINE);
    Thread end = new Thread(retiring::close);
    end.start();
    while (end.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    gate.countDown();
    end.join();
    retiring.begin(3, at(4), MINE);
    assertEquals(List.of(2L, 3L), done.stream().map(Partition::needed).toList());
  }

  @Test
  @Reaches(Mark.ROUND_OF_A_FOLLOWED_RUN)
  void aRunThatWasFollowedDeletesNothingMoreAndEnds() throws Exception {
    gate.countDown();
    FencedException taken = new FencedException(1, "was taken over by token 2");
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, at(2), () -> { throw taken; });
      retiring.finish(FOREVER);
      assertEquals(List.of(), List.copyOf(done));
      assertEquals(taken.getMessage(), retiring.report(1).failure());
      assertSame(taken, assertThrows(FencedException.class, () -> retiring.begin(2, at(3), MINE)));
    }
  }

  @Test
  void aRoundLooksAtTheClaimOnceInManyPartitionsAndStopsWhereItWasFollowed() throws Exception {
    gate.countDown();
    int partitions = 40 * Retiring.CHECKED_EVERY;
    List<Partition> many =
        IntStream.range(0, partitions).mapToObj(i -> new Partition("state/s/" + i, 5, 4)).toList();
    AtomicInteger looks = new AtomicInteger();
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, many, looks::incrementAndGet);
      retiring.finish(FOREVER);
      assertEquals(partitions, done.size());
      assertTrue(looks.get() >= 40 && looks.get() <= 44, looks + " looks"); // 4 threads
      done.clear();
      retiring.begin(2, many.stream().map(p -> new Partition(p.folder(), 6, 5)).toList(), () -> {
        if (looks.incrementAndGet() > 60) {
          throw new FencedException(1, "was taken over by token 2");
        }
      });
      retiring.finish(FOREVER);
      assertTrue(
          done.size() <= 20 * Retiring.CHECKED_EVERY, done.size() + " after it was followed");
    }
  }

  @Test
  void nothingIsDeletedWhereTheClaimCannotBeLookedAt() throws Exception {
    gate.countDown();
    try (Retiring retiring = new Retiring(this::held)) {
      retiring.begin(1, at(2), () -> { throw new IOException("no route to the store"); });
      retiring.finish(FOREVER);
      assertEquals(0, done.size());
      assertTrue(retiring.report(1).failure().contains("no route to the store"));
      retiring.begin(2, at(2), MINE);
      retiring.finish(FOREVER);
      assertEquals(1, done.size());
    }
  }
}
