package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RunLedgerTest {
  /**
   * Its first batch was recorded without a ledger: a late attempt at it must not hold up the next.
   */
  @Test
  void aLateAttemptAtTheBatchThatARunWasConfirmedWithIsRefused() throws IOException {
    PackFolder packs = new PackFolder(new MemoryObjectStore());
    RunLedger ledger =
        new RunLedger(packs, Ownership.claim(new MemoryObjectStore(), "run a", 0, 5), 1);
    SealedCommit commit =
        new SealedCommit("0/0", "0123456789abcdef0123", "a pack", 0, 1, Map.of("a pack", 1L));
    EngineException e =
        assertThrows(EngineException.class, () -> ledger.register(1, "e1", commit, true));
    assertEquals(ErrorCode.ILLEGAL_STATE, e.code());
    assertEquals(Set.of(), ledger.register(2, "e2", commit, true));
  }
}
