package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.groundswell.checkpoint.BatchPackRetention;
import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.ExecutorGone;
import io.groundswell.checkpoint.Ownership;
import io.groundswell.checkpoint.RunLedger;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A query whose commits wait in memory and share packs, in one thread: executors that fail and die,
 * tasks that are tried twice, uploads that are lost, drivers that are fenced, in an order that one
 * seed decides. What was recorded is there after each step, whoever reads.
 */
final class PackedSimulation {
  private static final int EXECUTORS = 3;
  private static final int STORES = 3;
  private static final int TRIES = 3;
  private static final int RETAINED = 4;

  /** What happened, in order: equal for equal seeds. */
  final List<String> log = new ArrayList<>();

  private final MemoryObjectStore disk = new MemoryObjectStore("simulated");
  private final Random random;
  private final AtomicLong clock = new AtomicLong();
  private final List<SimulatedExecutor> executors = new ArrayList<>();
  private final SimulatedRows compare;

  /** What is recorded: by version, by store. */
  private final List<List<StoreModel>> states = new ArrayList<>();

  /** What the batch to come writes, whoever runs it and however often: one seed a store. */
  private long[] content;

  private RunLedger ledger;
  private SimulatedFaults driverFaults;
  private boolean fenced;
  private long oldest = 1;
  private int started;

  PackedSimulation(Random random) {
    this.random = random;
    compare = new SimulatedRows(new Random(random.nextLong()));
    List<StoreModel> empty = new ArrayList<>();
    for (int i = 0; i < STORES; i++) {
      empty.add(StoreModel.empty());
    }
    states.add(empty);
    nextContent();
    newDriver();
    for (int i = 0; i < EXECUTORS; i++) {
      executors.add(start());
    }
  }

  private Instant now() {
    return Instant.ofEpochMilli(clock.incrementAndGet());
  }

  private long recorded() {
    return states.size() - 1;
  }

  private void nextContent() {
    content = random.longs(STORES).toArray();
  }

  private SimulatedExecutor start() {
    long skew = random.nextInt(1_000);
    return new SimulatedExecutor(
        "e" + started++, STORES, disk, random, () -> now().plusMillis(skew), () -> ledger);
  }

  private void newDriver() {
    driverFaults = new SimulatedFaults(random);
    ObjectStore storage = SimulatedExecutor.faulty(disk, driverFaults);
    BatchPacks packs = new BatchPacks(storage.child(SimulatedExecutor.PACKS));
    ledger = new RunLedger(packs, claim(storage), recorded());
    fenced = false;
  }

  private Ownership claim(ObjectStore storage) {
    try {
      return Ownership.claim(storage.child("owners"), "run", 0, clock.incrementAndGet());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void claimedByAnother() {
    claim(disk);
    fenced = true;
    log.add("another driver");
  }

  /** A new driver; executors live on or do not. */
  private void restart() {
    log.add("restart");
    newDriver();
    for (int i = 0; i < EXECUTORS; i++) {
      if (random.nextBoolean()) {
        replace(i, "closed");
      } else {
        executors.get(i).faults.chance(0);
        executors.get(i).newRun();
      }
    }
  }

  private void replace(int i, String why) {
    log.add(executors.get(i).name + " " + why);
    executors.get(i).close();
    executors.set(i, start());
  }

  private void replaceDead() {
    for (int i = 0; i < EXECUTORS; i++) {
      if (executors.get(i).faults.dead()) {
        replace(i, "died");
      }
    }
  }

  void steps(int count) {
    for (int i = 0; i < count; i++) {
      step(random.nextInt(20));
      replaceDead();
      check(recorded());
      long from = Math.min(recorded(), oldest);
      check(from + random.nextInt((int) (recorded() - from) + 1));
    }
    executors.forEach(SimulatedExecutor::close);
  }

  private void step(int kind) {
    int at = random.nextInt(EXECUTORS);
    SimulatedExecutor executor = executors.get(at);
    if (kind < 8) {
      batch();
    } else if (kind < 11) {
      guarded(executor, "merge", executor.merges::runOne);
    } else if (kind < 12) {
      EpochStore store = executor.stores[random.nextInt(STORES)];
      guarded(executor, "compact", () -> store.compact(recorded(), null));
    } else if (kind < 14) {
      retire(executor);
    } else if (kind < 16) {
      executor.faults.chance(random.nextInt(3) * 0.03);
    } else if (kind < 17) {
      driverFaults.chance(random.nextInt(3) * 0.05);
    } else if (kind < 18) {
      executor.faults.dieAt(1 + random.nextInt(40));
    } else if (kind < 19) {
      replace(at, "closed");
    } else if (random.nextBoolean()) {
      claimedByAnother();
    } else {
      restart();
    }
  }

  /** Runs what may fail only if the storage did. */
  private void guarded(SimulatedExecutor executor, String what, Runnable action) {
    int before = executor.faults.injected();
    try {
      action.run();
      log.add(executor.name + " " + what);
    } catch (EngineException e) {
      log.add(executor.name + " " + what + " failed: " + e.code());
      if (executor.faults.injected() == before) {
        throw new AssertionError(executor.name + ", " + what + ": " + e, e);
      }
    }
  }

  /** One batch of all stores; if it fails the query starts anew, and the batch is run again. */
  private void batch() {
    List<StoreModel> next = new ArrayList<>();
    boolean defers = random.nextInt(5) > 0;
    executors.forEach(executor -> executor.defers = defers);
    for (int store = 0; store < STORES; store++) {
      StoreModel state = task(store);
      if (state == null) {
        restart();
        return;
      }
      next.add(state);
      if (random.nextInt(4) == 0) {
        SimulatedExecutor other = executors.get(random.nextInt(EXECUTORS));
        int again = store;
        guarded(other, "speculative task", () -> run(other, again));
      }
      SimulatedExecutor any = executors.get(random.nextInt(EXECUTORS));
      if (random.nextInt(3) == 0) {
        any.uploads.runOne();
      }
    }
    if (release()) {
      assertFalse(fenced, "a driver recorded a batch after another one had taken over");
      states.add(next);
      nextContent();
      log.add("recorded " + recorded());
    } else {
      restart();
    }
  }

  /** The model of what a task wrote; null if it failed too often. */
  private StoreModel task(int store) {
    for (int i = 0; i < TRIES; i++) {
      int where = i == 0 && random.nextInt(5) > 0 ? store % EXECUTORS : random.nextInt(EXECUTORS);
      SimulatedExecutor executor = executors.get(where);
      StoreModel[] made = {null};
      guarded(executor, "task " + store, () -> made[0] = run(executor, store));
      if (made[0] != null) {
        return made[0];
      }
    }
    return null;
  }

  private StoreModel run(SimulatedExecutor executor, int store) {
    SimulatedRows rows = new SimulatedRows(new Random(content[store]));
    StoreModel state = states.get((int) recorded()).get(store).next();
    try (Transaction batch = executor.stores[store].begin(recorded(), null)) {
      for (int i = 0; i < 3; i++) {
        rows.write(batch, state);
      }
      while (((StoreTransaction) batch).base().version.levels().subLevels().size() >= 4
          && executor.merges.runOne()) {
        log.add(executor.name + " merges before it commits");
      }
      batch.commit();
    }
    return state;
  }

  private boolean release() {
    int before = driverFaults.injected();
    boolean[] lost = {false};
    try {
      ledger.release(recorded() + 1, (name, owner, version) -> flush(name, owner, version, lost));
      return true;
    } catch (IOException e) {
      log.add("release failed");
      if (driverFaults.injected() == before) {
        throw new AssertionError("release: " + e, e);
      }
    } catch (EngineException e) {
      log.add("release failed: " + e.code());
      boolean expected = switch (e.code()) {
        case FENCED -> fenced || driverFaults.injected() > before;
        case CHECKPOINT_LOST -> lost[0];
        default -> driverFaults.injected() > before;
      };
      if (!expected) {
        throw new AssertionError("release: " + e, e);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return false;
  }

  private CompletableFuture<Void> flush(String name, String owner, long version, boolean[] lost) {
    SimulatedExecutor asked = null;
    for (SimulatedExecutor executor : executors) {
      asked = executor.name.equals(name) ? executor : asked;
    }
    if (random.nextInt(12) == 0) {
      claimedByAnother();
    }
    if (asked != null && random.nextInt(8) == 0) {
      asked.faults.dieAt(1 + random.nextInt(6)); // while it uploads, or with its answer
    }
    CompletableFuture<Void> done = null;
    if (asked != null && !asked.faults.dead()) {
      done = asked.uploader.flush(asked.packs, owner, version);
      asked.upload();
    }
    if (asked == null || asked.faults.dead()) {
      lost[0] = true;
      return CompletableFuture.failedFuture(new ExecutorGone(name, "died"));
    }
    lost[0] |= done.isCompletedExceptionally();
    return done;
  }

  /** Deletes what is older, as the driver and as the stores of an executor. */
  private void retire(SimulatedExecutor executor) {
    long from = Math.max(oldest, recorded() - random.nextInt(RETAINED));
    if (fenced || from < 1) {
      return; // a driver that was replaced cannot know what another one needs
    }
    oldest = from;
    int before = driverFaults.injected();
    try {
      ledger.leave(BatchPackRetention.run(ledger.folder(), oldest).sparse());
    } catch (IOException | EngineException e) {
      if (driverFaults.injected() == before) {
        throw new AssertionError("retention: " + e, e);
      }
    }
    for (EpochStore store : executor.stores) {
      guarded(executor, "retire " + oldest, () -> store.retire(oldest));
    }
  }

  /** A process that comes fresh to the disk finds the version as it was recorded. */
  private void check(long version) {
    SimulatedExecutor fresh =
        new SimulatedExecutor("check", STORES, disk, new Random(version), this::now, () -> ledger);
    for (int store = 0; store < STORES; store++) {
      try (Snapshot snapshot = fresh.stores[store].snapshot(version, null)) {
        StoreModel expected = states.get((int) version).get(store);
        compare.compareSnapshot(snapshot, expected.committed(snapshot.id()));
      } catch (EngineException e) {
        throw new AssertionError("version " + version + " of store " + store + " of " + recorded()
                + ", retained from " + oldest + ": " + e,
            e);
      }
    }
    fresh.close();
  }
}
