package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.LocalObjectStore;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts that were given up and write all the same, and threads that are told to stop. */
class ZombieTest {
  @TempDir Path temporary;

  private final MemoryObjectStore disk = new MemoryObjectStore();
  private final EngineServices services = EngineServices.create(0, 1);

  @AfterEach
  void close() {
    services.close();
  }

  private EpochStore open(EngineServices with) {
    return EpochStore.at(disk, new StoreOptions(1024, 1000, 10), with);
  }

  private static Transaction batch(EpochStore store, long base, String id, String value) {
    Transaction batch = store.begin(base, id);
    TableSpec table = batch.createTable("t", Layout.HASHED, true);
    for (int i = 0; i < 200; i++) {
      put(batch, table, "k" + i, value);
    }
    put(batch, table, "only in " + value, value);
    return batch;
  }

  /** @param spills whether the zombie's rows go through files of their own */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLateAttemptIsNoPartOfAnyNewerVersion(boolean spills) {
    EngineServices small =
        EngineServices.create(0, 1, spills ? 1 : 1 << 20, () -> Instant.now().plusSeconds(1));
    try (EpochStore zombies = open(small); EpochStore store = open(services)) {
      Transaction zombie = batch(zombies, 0, null, "zombie");
      String first = batch(store, 0, null, "first").commit().id();
      String second = batch(store, 1, first, "second").commit().id();
      String late = zombie.commit().id();
      assertTrue(late.compareTo(first) > 0, "the zombie's id is the greater one");
      String third = batch(store, 2, second, "third").commit().id();

      try (EpochStore again = open(services)) {
        // Who knows the ids never reads the zombie.
        assertRows(again, 1, first, "first");
        assertRows(again, 2, second, "second");
        assertRows(again, 3, third, "third");
        // Who does not gets the last attempt of version 1, and no other version is touched by it.
        assertRows(again, 1, null, "zombie");
        assertRows(again, 2, null, "second");
        assertRows(again, 3, null, "third");
      }
      // The object that committed a version reads what it committed.
      assertRows(store, 1, null, "first");

      store.retire(3);
      assertFalse(disk.objects.containsKey(FileNames.commit(1, late)), "it goes with its version");
      assertRows(store, 3, third, "third");
    } finally {
      small.close();
    }
  }

  @Test
  @Reaches(Mark.MERGED_FILE_SPARED)
  void whoRetiresUpToTheNewestVersionLeavesAnotherProcessItsMerges() {
    try (EpochStore writer = open(services); EpochStore retiring = open(services)) {
      String id = null;
      for (int version = 0; version < 3; version++) {
        id = batch(writer, version, id, "v" + (version + 1)).commit().id();
      }
      assertTrue(writer.compact(3, id));
      String merged = merges().get(0);
      try (EpochStore other = open(services)) { // a retry elsewhere: it knows of no merge
        id = batch(other, 3, id, "v4").commit().id();
        id = batch(other, 4, id, "v5").commit().id();
      }
      retiring.retire(5, 1);
      assertEquals(List.of(merged), merges(), "a commit may yet take it in");
      id = batch(writer, 5, id, "v6").commit().id();
      retiring.retire(6, 1);
      assertEquals(List.of(merged), merges(), "version 6 needs it");
      assertTrue(writer.compact(6, id));
      id = batch(writer, 6, id, "v7").commit().id();
      retiring.retire(7, 1);
      assertEquals(1, merges().size());
      assertFalse(merges().contains(merged), "no version from 7 on needs it");
      assertRows(writer, 7, id, "v7");
    }
  }

  private List<String> merges() {
    return disk.objects.keySet().stream().filter(name -> name.endsWith(".sst")).sorted().toList();
  }

  private static void assertRows(EpochStore store, long version, String id, String value) {
    try (Snapshot snapshot = store.snapshot(version, id)) {
      TableSpec table = snapshot.table("t");
      assertEquals(value, get(snapshot, table, "k7"));
      assertEquals(value, get(snapshot, table, "only in " + value));
      if (!value.equals("zombie")) {
        assertNull(get(snapshot, table, "only in zombie"));
      }
      assertEquals(snapshot.count(table), all(snapshot.scan(table)).size());
    }
  }

  /** A merge that a zombie's version took in is that version's alone. */
  @Test
  void aRestartFromAnOlderVersionLeavesTheAbandonedLineBehind() {
    try (EpochStore store = open(services)) {
      batch(store, 0, null, "first").commit();
      batch(store, 1, null, "abandoned").commit();
      batch(store, 2, null, "abandoned too").commit();
    }
    try (EpochStore store = open(services)) {
      String second = batch(store, 1, null, "second").commit().id();
      String third = batch(store, 2, second, "third").commit().id();
      assertRows(store, 2, null, "second");
      assertRows(store, 3, null, "third");
      try (EpochStore again = open(services)) {
        assertRows(again, 2, null, "second");
        assertRows(again, 3, third, "third");
        try (Snapshot snapshot = again.snapshot(3, null)) {
          assertNull(get(snapshot, snapshot.table("t"), "only in abandoned"));
        }
      }
    }
  }

  /** Nothing is cached, so each read goes to the same open files; interrupts are real. */
  @Test
  void interruptedTasksHarmNoOtherReaderOfTheirFiles() throws Exception {
    try (ObjectStore folder = new LocalObjectStore(temporary.resolve("s"), false);
        EpochStore store = EpochStore.at(folder, new StoreOptions(1024, 1000, 10), services)) {
      batch(store, 0, null, "first").commit();
      batch(store, 1, null, "second").commit();
      AtomicBoolean stop = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      List<Thread> victims = new ArrayList<>();
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        victims.add(new Thread(() -> {
          while (!stop.get()) {
            try {
              assertRows(store, 2, null, "second");
            } catch (RuntimeException | AssertionError interrupted) {
              Thread.interrupted();
            }
          }
        }));
        readers.add(new Thread(() -> {
          try {
            for (int n = 0; n < 150; n++) {
              assertRows(store, 2, null, "second");
            }
          } catch (Throwable e) {
            failure.set(e);
          }
        }));
      }
      victims.forEach(Thread::start);
      readers.forEach(Thread::start);
      while (readers.stream().anyMatch(Thread::isAlive)) {
        victims.forEach(Thread::interrupt);
        Thread.sleep(0, 200_000);
      }
      stop.set(true);
      for (Thread victim : victims) {
        victim.join();
      }
      assertNull(failure.get());
    }
  }

  @Test
  void retirementSweepsOldLeftoversAndNothingElse() throws Exception {
    Path home = temporary.resolve("s");
    try (ObjectStore folder = new LocalObjectStore(home, false);
        EpochStore store = EpochStore.at(folder, StoreOptions.defaults(), services)) {
      batch(store, 0, null, "first").commit();
      Path old = leftover(home, ".x.commit.0123456789abcdef.gstmp", EpochStore.LEFTOVER_MILLIS);
      Path young = leftover(home, ".y.commit.0123456789abcdef.gstmp", 1000);
      Path foreign = leftover(home, ".z.gstmp", EpochStore.LEFTOVER_MILLIS);
      store.retire(1);
      assertFalse(Files.exists(old));
      assertTrue(Files.exists(young), "somebody may still be writing it");
      assertTrue(Files.exists(foreign), "not a name of ours");
      assertEquals(1, store.metrics().get("sweptFiles"));
      assertRows(store, 1, null, "first");
    }
  }

  private static Path leftover(Path folder, String name, long age) throws Exception {
    File file = Files.writeString(folder.resolve(name), "half").toFile();
    assertTrue(file.setLastModified(System.currentTimeMillis() - age - 10_000));
    return file.toPath();
  }
}
