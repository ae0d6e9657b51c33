package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.SimulatedHistory.Attempt;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.MemoryObjectStore;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Reads the simulated disk as a process that comes fresh to it, and nothing fails. */
final class SimulatedCheck {
  /** All versions, with nothing in memory, every so many steps; else the newest and another one. */
  private static final int ALL_EVERY = 40;

  private static final StoreOptions OPTIONS = new StoreOptions(4096, 1000, 10);

  private final MemoryObjectStore disk;
  private final SimulatedHistory history;
  private final SimulatedRows rows;
  private final InstantSource clock;
  private final Random random = new Random(7);
  private EngineServices services;
  private EpochStore store;

  SimulatedCheck(
      MemoryObjectStore disk, SimulatedHistory history, SimulatedRows rows, InstantSource clock) {
    this.disk = disk;
    this.history = history;
    this.rows = rows;
    this.clock = clock;
    open();
  }

  private void open() {
    if (store != null) {
      store.close();
      services.close();
    }
    services =
        EngineServices.simulated(1 << 20, 1 << 20, clock, new SimulatedMerges(), random::nextInt);
    store = EpochStore.at(disk, OPTIONS, services);
  }

  void afterStep(int step) {
    if (step % ALL_EVERY == ALL_EVERY - 1) {
      open();
      history.readable().forEach(this::check);
    } else {
      check(history.newest());
      List<Attempt> all = history.readable();
      check(all.get(random.nextInt(all.size())));
    }
  }

  private void check(Attempt version) {
    try (Snapshot snapshot = store.snapshot(version.version(), version.model().id)) {
      rows.compareSnapshot(snapshot, version.model());
      long epoch = Math.max(0, version.version() - random.nextInt(3));
      Reader older;
      try {
        older = snapshot.asOf(epoch);
      } catch (EngineException e) {
        assertEquals(ErrorCode.VERSION_UNAVAILABLE, e.code());
        assertTrue(epoch < version.version());
        return;
      }
      rows.compareAll(older, version.model(), version.model().asOf(epoch));
    } catch (EngineException e) {
      if (!version.orphan() || e.code() != ErrorCode.VERSION_UNAVAILABLE) {
        throw new AssertionError("version " + version.version() + ": " + e, e);
      }
    }
  }

  /** Life goes on from the newest version, and once old ones are retired no rubbish is left. */
  void atTheEnd() {
    open();
    history.readable().forEach(this::check);
    Attempt newest = history.newest();
    StoreModel state = newest.model();
    for (int i = 0; i < 2; i++) {
      try (Transaction batch = store.begin(state.version, state.id)) {
        StoreModel next = state.next();
        rows.write(batch, next);
        state = next.committed(batch.commit().id());
      }
      store.compact(state.version, state.id);
    }
    if (history.anyTorn()) {
      return; // what it refers to is not known
    }
    store.retire(state.version);
    try (Snapshot snapshot = store.snapshot(state.version, state.id)) {
      rows.compareSnapshot(snapshot, state);
      Set<String> left = new HashSet<>(disk.objects.keySet());
      left.removeIf(name -> FileNames.parse(name).version() >= snapshot.version());
      left.removeAll(((SnapshotReader) snapshot).base().version.files());
      disk.objects.keySet()
          .stream()
          .map(FileNames::parse)
          .filter(name -> name.commit() && name.version() > snapshot.version())
          .forEach(zombie -> left.clear()); // of a branch that went further: it has files, too
      assertEquals(Set.of(), left, "files that nobody needs");
    }
    store.close();
    services.close();
  }
}
