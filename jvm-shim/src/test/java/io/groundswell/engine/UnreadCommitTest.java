package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.BatchSpace;
import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.checkpoint.Ownership;
import io.groundswell.checkpoint.RunLedger;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Of the pack of a commit that stays, retirement reads only a part. */
class UnreadCommitTest {
  private static final String OLDER = "00000000000000000005-0000000003afb87e3167.commit";
  private static final String PACK = "00000000000000000008-0000000002af21f95c93.pack";
  private final MemoryObjectStore folder = new MemoryObjectStore();

  /** Retires what versions from the oldest on do not need, as far as is known. */
  private List<?> retire(long oldest, long packed) throws Exception {
    folder.putNew(OLDER, new byte[] {1});
    MemoryObjectStore storage = new MemoryObjectStore();
    storage.putNew(PACK, new byte[10]);
    BatchPacks packs = new BatchPacks(storage);
    Ownership owner = Ownership.claim(new MemoryObjectStore(), "run a", 0, 5);
    RunLedger ledger = new RunLedger(packs, owner, packed - 1);
    FinishedCommit commit =
        new FinishedCommit("0/2", "0000000003bab424d634", PACK, 0, 99, Map.of(PACK, 99L));
    ledger.register(packed, "e1", commit, true);
    ledger.release(packed, (executor, run, version) -> CompletableFuture.completedFuture(null));
    BatchSpace space = new BatchSpace(packs, "0/2", version -> Destination.ALONE);
    return new Retirement(space.route(folder), space)
        .run(folder.list(""), oldest, oldest, Set.of());
  }

  @Test
  @Reaches(Mark.OLDEST_COMMIT_UNREAD)
  void whatTheOldestMayNeedStays() throws Exception {
    assertEquals(List.of(), retire(8, 8));
    assertEquals(1, folder.list("").size());
  }

  @Test
  void aLaterCommitNeedsWhatItsBaseNeeds() throws Exception {
    assertEquals(1, retire(8, 9).size());
  }
}
