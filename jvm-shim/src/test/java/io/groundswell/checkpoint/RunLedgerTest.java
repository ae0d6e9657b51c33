package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RunLedgerTest {
  /**
   * Its first batch was recorded without a ledger: a late attempt at it must not hold up the next.
   */
  @Test
  void aLateAttemptAtTheBatchThatARunWasConfirmedWithIsRefused() throws IOException {
    BatchPacks packs = new BatchPacks(new MemoryObjectStore());
    RunLedger ledger =
        new RunLedger(packs, Ownership.claim(new MemoryObjectStore(), "run a", 0, 5), 1);
    FinishedCommit commit =
        new FinishedCommit("0/0", "0123456789abcdef0123", "a pack", 0, 1, Map.of("a pack", 1L));
    EngineException e =
        assertThrows(EngineException.class, () -> ledger.register(1, "e1", commit, true));
    assertEquals(ErrorCode.ILLEGAL_STATE, e.code());
    assertEquals(Set.of(), ledger.register(2, "e2", commit, true));
  }

  private static RunLedger ledger(MemoryObjectStore storage) throws IOException {
    Ownership owner = Ownership.claim(new MemoryObjectStore(), "run a", 0, 5);
    return new RunLedger(new BatchPacks(storage), owner, 1);
  }

  private static FinishedCommit commit(String pack) {
    return new FinishedCommit("0/0", "0123456789abcdef0123", pack, 0, 1, Map.of(pack, 1L));
  }

  private static List<String> names(MemoryObjectStore storage) throws IOException {
    return storage.list("").stream().map(ObjectStore.ObjectInfo::name).toList();
  }

  @Test
  void anIndexIsWrittenWhilePacksAreUploaded() throws Exception {
    MemoryObjectStore storage = new MemoryObjectStore();
    RunLedger ledger = ledger(storage);
    ledger.register(2, "e1", commit("a pack"), true);
    CompletableFuture<Void> upload = new CompletableFuture<>();
    CompletableFuture<Boolean> released = CompletableFuture.supplyAsync(() -> {
      try {
        return ledger.release(2, (executor, owner, version) -> upload);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    while (names(storage).isEmpty()) {
      Thread.sleep(1);
    }
    assertTrue(names(storage).get(0).endsWith(".index"), names(storage).toString());
    assertFalse(released.isDone(), "the batch may not be recorded yet");
    upload.complete(null);
    assertTrue(released.get());
  }

  @Test
  void theIndexOfABatchThatIsLostGoes() throws Exception {
    MemoryObjectStore storage = new MemoryObjectStore();
    RunLedger ledger = ledger(storage);
    ledger.register(2, "e1", commit("a pack"), false);
    EngineException lost = assertThrows(EngineException.class,
        ()
            -> ledger.release(2,
                (executor, owner, version)
                    -> CompletableFuture.failedFuture(new ExecutorGone(executor, "killed"))));
    assertEquals(ErrorCode.CHECKPOINT_LOST, lost.code());
    assertEquals(List.of(), names(storage));
  }
}
