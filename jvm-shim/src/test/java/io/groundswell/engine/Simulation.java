package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.SimulatedHistory.Attempt;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.sst.Compression;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.MemoryObjectStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Several processes on one folder, in one thread: they write, merge, read old versions, retire,
 * lose their storage and die at any of its operations, in an order that one seed decides. After
 * each step the folder holds what sorted maps say.
 */
final class Simulation {
  private static final int PROCESSES = 3;

  final MemoryObjectStore disk = new MemoryObjectStore("simulated");
  final SimulatedHistory history = new SimulatedHistory(disk.objects.keySet());

  /** What happened, in order: equal for equal seeds. */
  final List<String> log = new ArrayList<>();

  private final Random random;
  private final SimulatedRows rows;
  private final SimulatedCheck check;
  private final AtomicLong clock = new AtomicLong();
  private final List<SimulatedProcess> processes = new ArrayList<>();
  private int started;

  Simulation(Random random) {
    this.random = random;
    rows = new SimulatedRows(random);
    check = new SimulatedCheck(disk, history, rows, this::now);
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(start());
    }
  }

  private Instant now() {
    return Instant.ofEpochMilli(clock.incrementAndGet());
  }

  @SafeVarargs
  private <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private SimulatedProcess start() {
    StoreOptions options = new StoreOptions(pick(64, 300, 4096), pick(2, 3, 1000), pick(0, 3, 10),
        pick(1024L, 1L << 20), pick(Compression.values()))
                               .withLevelBase(pick(1000L, 10_000L, 1L << 30));
    SimulatedProcess process = new SimulatedProcess(started++, disk, options, random, this::now,
        pick(0L, 20_000L, 8L << 20), pick(1L, 5_000L, 1L << 30));
    process.othersFloor = history.floor();
    return process;
  }

  void steps(int count) {
    for (int i = 0; i < count; i++) {
      SimulatedProcess process = processes.get(random.nextInt(PROCESSES));
      step(process, random.nextInt(41));
      if (process.faults.dead() && processes.contains(process)) {
        replace(process, "died");
      }
      check.afterStep(i);
    }
    processes.forEach(SimulatedProcess::close);
    check.atTheEnd();
  }

  private void step(SimulatedProcess process, int kind) {
    if (kind < 12) {
      guarded(process, "write", () -> write(process));
    } else if (kind < 15) {
      guarded(process, "read", () -> read(process));
    } else if (kind < 23) {
      commit(process);
    } else if (kind < 28) {
      guarded(process, "merge", process.merges::runOne);
    } else if (kind < 30) {
      guarded(process, "compact", () -> compact(process));
    } else if (kind < 32) {
      retire(process);
    } else if (kind < 35) {
      guarded(process, "pin", () -> pinOrUnpin(process));
    } else if (kind < 36) {
      openNewest(process);
    } else if (kind < 37) {
      abort(process);
    } else if (kind < 38) {
      process.faults.dieAt(1 + random.nextInt(60));
    } else if (kind < 40) {
      process.faults.chance(pick(0.0, 0.0, 0.01, 0.1));
    } else {
      process.faults.chance(0);
      process.close();
      replace(process, "closed");
    }
  }

  private void replace(SimulatedProcess process, String why) {
    log.add(process.number + " " + why);
    history.tookPlace(null, null, false, process.faults.torn);
    processes.set(processes.indexOf(process), start());
  }

  /** Runs a step that may fail only if the storage did, or another process took its files. */
  private void guarded(SimulatedProcess process, String what, Runnable action) {
    int before = process.faults.injected();
    try {
      action.run();
      log.add(process.number + " " + what + " " + disk.objects.size());
    } catch (EngineException e) {
      log.add(process.number + " " + what + " failed: " + e.code());
      boolean missing = process.orphan && e.code() == ErrorCode.VERSION_UNAVAILABLE;
      if (process.faults.injected() == before && !missing) {
        throw new AssertionError("process " + process.number + ", " + what + ": " + e, e);
      }
      abort(process);
    }
    history.tookPlace(null, null, false, process.faults.torn);
  }

  private void abort(SimulatedProcess process) {
    if (process.batch != null) {
      process.batch.abort();
      process.batch = null;
    }
    process.orphan = false;
  }

  private Attempt anyBase(SimulatedProcess process) {
    Attempt newest = history.newest();
    if (random.nextInt(6) > 0) {
      return newest;
    }
    List<Attempt> all = history.readable();
    Attempt any = all.get(random.nextInt(all.size()));
    return process.mayMiss(any) ? newest : any;
  }

  private void begin(SimulatedProcess process) {
    Attempt base = anyBase(process);
    boolean byId = base.version() == 0 || random.nextInt(5) > 0;
    try {
      process.batch = process.store.begin(base.version(), byId ? base.model().id : null);
    } catch (EngineException e) { // without an id, the newest attempt may be half a one
      if (!byId && e.code() == ErrorCode.CORRUPTION && history.anyTorn()) {
        return;
      }
      throw e;
    }
    Attempt found = history.find(base.version(), process.batch.baseId());
    assertTrue(!byId || found == base, "another attempt was opened than the one asked for");
    assertTrue(!found.torn(), "half a commit was opened");
    process.state = found.model().next();
    process.orphan = process.mayMiss(found);
  }

  private void write(SimulatedProcess process) {
    if (process.batch == null) {
      begin(process);
    }
    if (process.batch != null) {
      rows.write(process.batch, process.state);
    }
  }

  private void read(SimulatedProcess process) {
    if (process.batch != null) {
      rows.compareAll(process.batch, process.state, process.state);
      rows.compareSome(process.batch, process.state);
    }
  }

  private void commit(SimulatedProcess process) {
    if (process.batch == null) {
      return;
    }
    while (process.wouldWait() && process.merges.runOne()) {
      log.add(process.number + " merges before it commits");
    }
    if (process.faults.dead()) {
      return;
    }
    if (random.nextInt(12) == 0) {
      process.faults.cutPublishing();
    }
    StoreModel state = process.state;
    boolean orphan = process.orphan;
    int before = process.faults.injected();
    String id = null;
    try {
      Transaction.Commit made = process.batch.commit();
      assertEquals(state.version, made.version());
      assertEquals(state.base.id, made.baseId());
      id = made.id();
    } catch (EngineException e) {
      boolean missing = orphan && e.code() == ErrorCode.VERSION_UNAVAILABLE;
      if (process.faults.injected() == before && !missing) {
        throw new AssertionError("process " + process.number + ", commit: " + e, e);
      }
    }
    log.add(process.number + " commits " + state.version + " " + id);
    process.batch = null;
    process.orphan = false;
    history.tookPlace(state, id, orphan, process.faults.torn);
  }

  private void compact(SimulatedProcess process) {
    Attempt newest = history.newest();
    process.store.compact(newest.version(), newest.model().id);
  }

  /** Of the versions that lie on the disk, whole or half. */
  private long highest() {
    return disk.objects.keySet()
        .stream()
        .map(FileNames::parse)
        .filter(FileNames.Parsed::commit)
        .mapToLong(FileNames.Parsed::version)
        .max()
        .orElse(0);
  }

  /** The newest version without its id, as a query asks that starts anew. */
  private void openNewest(SimulatedProcess process) {
    long version = highest();
    int before = process.faults.injected();
    try (Snapshot snapshot = process.store.snapshot(version, null)) {
      Attempt found = history.find(version, snapshot.id());
      assertTrue(!found.torn(), "half a commit was opened");
      rows.compareSnapshot(snapshot, found.model());
      log.add(process.number + " opens " + version);
    } catch (EngineException e) {
      log.add(process.number + " cannot open " + version + ": " + e.code());
      boolean half = e.code() == ErrorCode.CORRUPTION && history.anyTorn();
      boolean missing = e.code() == ErrorCode.VERSION_UNAVAILABLE && history.anyOrphan(version);
      if (process.faults.injected() == before && !half && !missing) {
        throw new AssertionError("process " + process.number + ", version " + version, e);
      }
    }
  }

  private void retire(SimulatedProcess process) {
    long oldest = Math.max(0, history.newest().version() - random.nextInt(5));
    long floor = Math.min(oldest, highest());
    history.retire(floor);
    processes.stream()
        .filter(other -> other != process)
        .forEach(other -> other.retiredByAnother(floor));
    int before = process.faults.injected();
    try {
      process.store.retire(oldest);
    } catch (EngineException e) {
      // What half a commit refers to is not known, so nothing is deleted as long as it is there.
      boolean unknown = e.code() == ErrorCode.CORRUPTION && history.anyTorn();
      if (process.faults.injected() == before && !unknown) {
        throw new AssertionError("process " + process.number + ", retire: " + e, e);
      }
    }
    log.add(process.number + " retires " + floor + " " + disk.objects.size());
  }

  private void pinOrUnpin(SimulatedProcess process) {
    if (process.pins.isEmpty() || process.pins.size() < 3 && random.nextBoolean()) {
      Attempt newest = history.newest();
      Snapshot snapshot = process.store.snapshot(newest.version(), newest.model().id);
      process.pins.add(new SimulatedProcess.Pin(snapshot, newest));
      return;
    }
    SimulatedProcess.Pin pin = process.pins.remove(random.nextInt(process.pins.size()));
    try (Snapshot snapshot = pin.snapshot()) {
      rows.compareSnapshot(snapshot, pin.shows().model());
    } catch (EngineException e) {
      if (e.code() != ErrorCode.VERSION_UNAVAILABLE || !process.mayMiss(pin.shows())) {
        throw e;
      }
    }
  }
}
