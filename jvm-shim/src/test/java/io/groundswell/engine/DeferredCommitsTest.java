package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.checkpoint.Destination;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.Fault;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.Op;
import io.groundswell.testing.Seeds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Lives of a checkpoint whose commits wait in memory: crashes, failing storage, lost executors. */
class DeferredCommitsTest {
  private static final int BATCHES = 24;
  private static final int RETAINED = 5;

  @Test
  @Reaches({Mark.COMMIT_APART_FROM_PACK, Mark.PACKED_COMMIT_IS_NEWER, Mark.PACK_THERE_AFTER_ALL,
      Mark.UPLOAD_TRIED_AGAIN})
  void whatWasRecordedIsThereWhateverFails() {
    Seeds.each(40, random -> {
      try (DeferredCommitsRun run = new DeferredCommitsRun(random, false)) {
        live(run, random);
      }
    });
  }

  private static void live(DeferredCommitsRun run, Random random) {
    while (run.recorded() < BATCHES) {
      if (random.nextInt(4) == 0) {
        FaultPlan torn =
            FaultPlan.random(random.nextLong(), Map.of(Op.PUT, Map.of(Fault.TORN, 0.2)));
        FaultPlan other = FaultPlan.random(random.nextLong(),
            Map.of(Op.PUT, Map.of(Fault.BEFORE, 0.1, Fault.AFTER, 0.1), Op.GET,
                Map.of(Fault.BEFORE, 0.02)));
        // Packs alone may be torn: the index says which parts of them count.
        run.plan((op, name) -> (name.endsWith(".pack") ? torn : other).next(op, name));
      }
      boolean done = run.batch(random.nextInt(5) > 0);
      run.plan(FaultPlan.NONE);
      if (!done || random.nextInt(8) == 0) {
        run.restart(); // everything in memory is gone; an unfinished batch is run again
      }
      if (run.recorded() == 0) {
        continue;
      }
      long oldest = Math.max(1, run.recorded() - RETAINED);
      if (random.nextInt(3) == 0) {
        run.retire(oldest);
      }
      run.check(oldest + random.nextInt((int) (run.recorded() - oldest + 1)));
      run.check(run.recorded());
    }
  }

  @Test
  void allStoresOfAnExecutorShareOneObject() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(1), true)) {
      for (int batch = 0; batch < 3; batch++) {
        long before = run.puts();
        run.batchWithoutAccidents();
        assertTrue(run.puts() - before <= DeferredCommitsRun.EXECUTORS + 1,
            (run.puts() - before) + " objects for " + DeferredCommitsRun.STORES + " stores");
      }
      assertEquals(0, run.readsOfStorage(), "recent versions are read from memory");
    }
  }

  @Test
  @Reaches({Mark.COMMIT_CARRIES_MERGE, Mark.NAMED_COMMIT_IS_PACKED})
  void mergesTravelWithTheCommits() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(7), true, 2)) {
      run.batchAndItsMerges(); // the first commit tells a store that it shares objects
      for (int batch = 0; batch < 12; batch++) {
        long before = run.puts();
        run.batchAndItsMerges();
        assertEquals(DeferredCommitsRun.EXECUTORS + 1, run.puts() - before);
      }
      assertEquals(0, run.readsOfStorage(), "recent versions are read from memory");
      run.check(run.recorded());
      long merges = run.count("compactionRuns");
      assertTrue(merges > 2 * DeferredCommitsRun.STORES, merges + " merges");
    }
  }

  /** The cold rows of one store do not keep packs of all stores alive without end. */
  @Test
  void packsDoNotPileUp() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(8), true, 2)) {
      run.cold = 3;
      for (int batch = 0; batch < 40; batch++) {
        run.batchAndItsMerges();
        if (run.recorded() > RETAINED) {
          run.retire(run.recorded() - RETAINED);
        }
      }
      run.check(run.recorded());
      run.check(run.recorded() - RETAINED);
      List<String> packs = run.packs();
      assertTrue(packs.size() <= DeferredCommitsRun.EXECUTORS * (RETAINED + 6), packs::toString);
    }
  }

  @Test
  void aLostExecutorIsNamedAndTheBatchCanBeRunAgain() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(2), true)) {
      run.batchWithoutAccidents();
      run.commitAll(true);
      run.kill(0);
      EngineException lost = assertThrows(EngineException.class, run::release);
      assertEquals(ErrorCode.CHECKPOINT_LOST, lost.code());
      assertTrue(lost.getMessage().contains("executor 0"), lost.getMessage());
      assertTrue(lost.getMessage().contains("Start the query again"), lost.getMessage());
      run.restart();
      run.batchWithoutAccidents();
      run.check(2);
    }
  }

  @Test
  @Reaches(Mark.COMMIT_LOST_AND_SAVED)
  void anotherAttemptStandsInForOneThatIsGone() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(5), true)) {
      run.commitAll(true);
      for (int store = 0; store < DeferredCommitsRun.STORES; store++) {
        run.commitAgain(1, store);
      }
      run.kill(0);
      run.release();
      run.check(1);
    }
  }

  /** It would go on with the attempt in its memory, which no restart would find. */
  @Test
  void nothingStandsInForWhatALivingExecutorCannotUpload() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(6), true)) {
      run.commitAll(true);
      for (int store = 0; store < DeferredCommitsRun.STORES; store++) {
        run.commitAgain(1, store);
      }
      AtomicBoolean first = new AtomicBoolean(true); // of the two packs
      run.plan((op, name)
                   -> op == Op.PUT && name.endsWith(FileNames.PACK_SUFFIX) && first.getAndSet(false)
              ? Fault.BEFORE
              : Fault.NONE);
      EngineException lost = assertThrows(EngineException.class, run::release);
      assertEquals(ErrorCode.CHECKPOINT_LOST, lost.code());
    }
  }

  @Test
  void theOlderOfTwoOwnersIsFenced() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(3), true)) {
      run.batchWithoutAccidents();
      run.commitAll(true);
      run.claimByAnother();
      EngineException fenced = assertThrows(EngineException.class, run::release);
      assertEquals(ErrorCode.FENCED, fenced.code());
      assertTrue(fenced.getMessage().contains("the other one"), fenced.getMessage());
    }
  }

  @Test
  void aBatchIsNotOvertakenAndNotAddedToLater() {
    try (DeferredCommitsRun run = new DeferredCommitsRun(new Random(4), true)) {
      run.commitAll(true);
      Destination late = run.destination(0, 0, 1);
      Destination early = run.destination(0, 0, 2);
      assertThrows(EngineException.class, () -> early.published("a", 1, Map.of()));
      run.release();
      assertThrows(EngineException.class, () -> late.published("a", 1, Map.of()));
    }
  }
}
