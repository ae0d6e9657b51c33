package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UploaderTest {
  private static final int COMMIT = 600;

  private final MemoryObjectStore storage = new MemoryObjectStore();
  private final BatchPacks folder = new BatchPacks(storage);
  private final ExecutorService threads = Executors.newSingleThreadExecutor();
  private final AtomicInteger ids = new AtomicInteger();
  private final Uploader uploader = Uploader.simulated(new UploadOptions(1_000, 1 << 20, 0, 1),
      threads, () -> String.format("%020x", ids.incrementAndGet()));

  @AfterEach
  void close() {
    uploader.close();
  }

  private FinishedCommit seal(String owner, long version) throws Exception {
    return uploader.seal(
        folder, owner, version, "s/0", "id", new byte[COMMIT], new Destination.Tail() {
          @Override
          public byte[] at(String id, String pack, long offset) {
            return new byte[0];
          }

          @Override
          public Map<String, Long> packs() {
            return Map.of();
          }
        });
  }

  @Test
  @Reaches(Mark.SEAL_WAITS_FOR_UPLOADS)
  void aCommitThatMemoryHasNoRoomForWaitsUntilThoseBeforeAreUploaded() throws Exception {
    FinishedCommit first = seal("run", 1);
    assertEquals(List.of(), storage.list(""));
    FinishedCommit second = seal("run", 2);
    assertEquals(COMMIT, storage.length(first.pack()));
    assertEquals(1, storage.list("").size(), second.pack() + " waits");
    assertEquals(COMMIT, uploader.metrics().sealedBytes());
  }

  @Test
  @Reaches({Mark.STALE_COMMITS_FORGOTTEN, Mark.UPLOAD_OF_FORGOTTEN})
  void whatAnOlderRunHasSealedIsForgottenThoughItsUploadHasBegun() throws Exception {
    CountDownLatch free = new CountDownLatch(1);
    threads.submit(() -> {
      free.await();
      return null;
    });
    FinishedCommit stale = seal("older", 1);
    CompletableFuture<Void> upload = uploader.flush(folder, "older", 1);
    uploader.keepOnly(folder, "newer");
    assertEquals(0, uploader.metrics().sealedBytes());
    free.countDown();
    upload.get();
    assertTrue(storage.length(stale.pack()) > 0, "nobody names it: it goes with its epoch");
    assertEquals(0, uploader.metrics().sealedBytes(), "and is not taken off twice");
    assertEquals(0, uploader.metrics().keptBytes());
  }
}
