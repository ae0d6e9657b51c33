package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.FaultyObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class OpenPacksTest {
  private static final long EPOCH = 5;

  private final MemoryObjectStore storage = new MemoryObjectStore();
  private final EpochPacks folder = new EpochPacks(storage);

  /** Commits so many bytes; gives the id. */
  private static String commit(OpenPacks packs, int group, String store, long version, int bytes)
      throws IOException {
    String[] taken = {null};
    Destination to = packs.of(group, store);
    assertTrue(to.packs(bytes));
    to.pack("", version, bytes, new byte[bytes], new Destination.Tail() {
      @Override
      public byte[] at(String id, String pack, long offset) {
        taken[0] = id;
        return new byte[] {1};
      }

      @Override
      public Map<String, Long> packs() {
        return Map.of();
      }
    });
    return taken[0];
  }

  private FinishedCommit durable(String store, long version, String id) throws IOException {
    return new EpochSpace(new EpochPacks(storage), store).find(version, id);
  }

  @Test
  void allTasksOfABarrierShareOneObjectOfAGroup() throws Exception {
    int tasks = 8;
    ExecutorService threads = Executors.newFixedThreadPool(tasks);
    List<Callable<String>> work = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      String store = "view-a/" + task;
      work.add(() -> commit(folder.shared(1, EPOCH), EpochIds.READABLE, store, 3, 1000));
    }
    List<String> ids = new ArrayList<>();
    for (Future<String> done : threads.invokeAll(work)) {
      ids.add(done.get());
    }
    threads.shutdown();
    assertEquals(1, ids.stream().distinct().count());
    assertEquals(List.of(), storage.list(""));
    String pack = EpochIds.packOf(ids.get(0));
    assertEquals(List.of(), folder.publishShared(1, List.of(pack)));
    assertEquals(List.of(pack), folder.names());
    for (int task = 0; task < tasks; task++) {
      assertEquals(1001, durable("view-a/" + task, 3, ids.get(0)).length());
    }
    assertEquals(List.of(), folder.publishShared(1, List.of(pack)), "asked again: it is durable");
  }

  @Test
  @Reaches(Mark.PACK_NOBODY_NAMED)
  void aTaskThatRunsAgainCommitsIntoAnotherPackAndWhatNobodyNamesIsNotWritten() throws IOException {
    OpenPacks packs = folder.shared(1, EPOCH);
    String first = commit(packs, EpochIds.READABLE, "view-a/0", 3, 10);
    String other = commit(packs, EpochIds.READABLE, "view-a/1", 3, 10);
    String again = commit(packs, EpochIds.READABLE, "view-a/0", 3, 10);
    assertEquals(first, other);
    assertTrue(!again.equals(first), "an id tells attempts apart");
    String own = commit(packs, EpochIds.OWN, "aggregate-b/0", 1, 10);
    assertTrue(!own.equals(first));
    assertEquals(List.of(), folder.publishShared(1, List.of(EpochIds.packOf(again))));
    assertEquals(List.of(EpochIds.packOf(again)), folder.names());
    assertThrows(EngineException.class,
        () -> commit(packs, EpochIds.READABLE, "view-a/2", 3, 10), "the barrier is over");
  }

  @Test
  @Reaches(Mark.PACK_IS_FULL)
  void whatIsLargeIsWrittenByTheTaskThatMadeItSo() throws IOException {
    OpenPacks packs = folder.shared(1, EPOCH);
    int megabyte = 1 << 20;
    String first = commit(packs, EpochIds.READABLE, "view-a/0", 3, megabyte);
    for (int partition = 1; partition < 4; partition++) {
      assertEquals(first, commit(packs, EpochIds.READABLE, "view-a/" + partition, 3, megabyte));
    }
    assertEquals(List.of(EpochIds.packOf(first)), folder.names(), "more than fit are in it");
    String second = commit(packs, EpochIds.READABLE, "view-a/4", 3, megabyte);
    assertTrue(!second.equals(first));
    assertEquals(List.of(),
        folder.publishShared(1, List.of(EpochIds.packOf(first), EpochIds.packOf(second))));
    assertEquals(2, folder.names().size());
    assertEquals(megabyte + 1, durable("view-a/3", 3, first).length());
  }

  @Test
  void aLaterBarrierEndsTheOneBeforeWhosePacksAreMissing() throws IOException {
    OpenPacks before = folder.shared(1, EPOCH);
    String lost = commit(before, EpochIds.READABLE, "view-a/0", 3, 10);
    String kept = commit(folder.shared(2, EPOCH), EpochIds.READABLE, "view-a/0", 3, 10);
    assertThrows(EngineException.class, () -> folder.shared(1, EPOCH));
    assertThrows(EngineException.class, () -> commit(before, EpochIds.READABLE, "view-a/1", 3, 10));
    List<String> names = List.of(EpochIds.packOf(lost));
    assertEquals(names, folder.publishShared(1, names));
    assertEquals(names, folder.publishShared(2, names), "of another barrier");
    assertEquals(List.of(), folder.names());
    assertEquals(List.of(EpochIds.packOf(kept)),
        new EpochPacks(storage).publishShared(2, List.of(EpochIds.packOf(kept))), "in no process");
  }

  @Test
  void whatABarrierDidNotFinishIsForgotten() throws IOException {
    String id = commit(folder.shared(1, EPOCH), EpochIds.READABLE, "view-a/0", 3, 10);
    folder.endShared(1);
    assertThrows(IOException.class, () -> folder.read(EpochIds.packOf(id), 0, 1));
    assertEquals(List.of(), folder.names());
    folder.endShared(1);
  }

  @Test
  void whatIsKeptOfABarrierIsReadAndWrittenWhileLaterOnesAreAtWork() throws IOException {
    String first = commit(folder.shared(1, EPOCH, true), EpochIds.READABLE, "view-a/0", 3, 10);
    String failed = commit(folder.shared(1, EPOCH, true), EpochIds.READABLE, "view-a/0", 3, 10);
    String pack = EpochIds.packOf(first);
    assertEquals(List.of(), folder.keepShared(1, List.of(pack)));
    assertThrows(EngineException.class, () -> folder.shared(1, EPOCH, true), "it is over");
    String second = commit(folder.shared(2, EPOCH + 1, true), EpochIds.READABLE, "view-a/0", 4, 9);
    assertEquals(List.of(), folder.keepShared(2, List.of(EpochIds.packOf(second))));
    assertEquals(List.of(), folder.names(), "nothing is durable");
    assertEquals(11, new EpochSpace(folder, "view-a/0").find(3, first).length());
    assertThrows(IOException.class, () -> folder.read(EpochIds.packOf(failed), 0, 1));
    assertEquals(21, EpochPacks.waitingBytes());
    folder.publishKept(1);
    assertEquals(11, durable("view-a/0", 3, first).length());
    assertThrows(EngineException.class, () -> folder.publishKept(1), "it is done");
    folder.giveUpKept(2);
    assertEquals(List.of(pack), folder.names());
    assertThrows(IOException.class, () -> folder.read(EpochIds.packOf(second), 0, 1));
    assertEquals(0, EpochPacks.waitingBytes());
    folder.giveUpKept(2);
  }

  @Test
  void aWriteThatFailsCanBeTriedAgain() throws IOException {
    FaultyObjectStore slow = new FaultyObjectStore(storage);
    EpochPacks failing = new EpochPacks(slow);
    OpenPacks packs = failing.shared(1, EPOCH, true);
    String id = commit(packs, EpochIds.READABLE, "view-a/0", 3, 10);
    failing.keepShared(1, List.of(EpochIds.packOf(id)));
    slow.failOnce(1);
    assertThrows(EngineException.class, () -> failing.publishKept(1));
    assertEquals(11, new EpochSpace(failing, "view-a/0").find(3, id).length(), "in memory");
    failing.publishKept(1);
    assertEquals(11, durable("view-a/0", 3, id).length());
  }

  @Test
  void aLargeCommitThatWaitsHasAPackToItself() throws IOException {
    OpenPacks packs = folder.shared(1, EPOCH, true);
    int large = (1 << 20) + 1;
    String small = commit(packs, EpochIds.READABLE, "view-a/0", 3, 10);
    String alone = commit(packs, EpochIds.READABLE, "view-a/1", 3, large);
    String other = commit(packs, EpochIds.READABLE, "view-a/2", 3, large);
    assertEquals(small, commit(packs, EpochIds.READABLE, "view-a/3", 3, 10));
    List<String> names =
        List.of(small, alone, other).stream().map(EpochIds::packOf).distinct().toList();
    assertEquals(3, names.size());
    assertEquals(List.of(), folder.keepShared(1, names));
    assertEquals(List.of(), folder.names(), "no task has written");
    folder.publishKept(1);
    assertEquals(3, folder.names().size());
    assertEquals(large + 1, durable("view-a/2", 3, other).length());
    assertEquals(0, EpochPacks.waitingBytes());
  }

  @Test
  void whatHasNoRoomInMemoryIsWrittenByItsTask() {
    long room = Runtime.getRuntime().maxMemory() / 16;
    OpenPacks packs = folder.shared(1, EPOCH, true);
    Destination to = packs.of(EpochIds.READABLE, "view-a/0");
    assertFalse(to.packs(33 << 20), "more than its upload is worth");
    assertTrue(room <= 32 << 20 || to.packs(32 << 20));
    packs.discard();
  }
}
