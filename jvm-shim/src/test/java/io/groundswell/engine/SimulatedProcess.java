package io.groundswell.engine;

import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.FaultInjector;
import io.groundswell.testing.FaultyObjectStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** One process that uses the store: its memory, its way to the storage, what it has open. */
final class SimulatedProcess {
  /** An open snapshot with what it shows. */
  record Pin(Snapshot snapshot, SimulatedHistory.Attempt shows) {}

  final int number;
  final SimulatedFaults faults;
  final SimulatedMerges merges = new SimulatedMerges();
  final EngineServices services;
  final EpochStore store;
  final StoreOptions options;
  final List<Pin> pins = new ArrayList<>();

  /** Other processes have retired what lies below. */
  long othersFloor;

  /** The open batch, or null; what it should hold; whether its base may have lost files. */
  Transaction batch;

  StoreModel state;
  boolean orphan;

  SimulatedProcess(int number, ObjectStore disk, StoreOptions options, Random random,
      InstantSource clock, long cacheBytes, long memTableBytes) {
    this.number = number;
    this.options = options;
    faults = new SimulatedFaults(random);
    FaultInjector injector = new FaultInjector();
    injector.plan(faults);
    services = EngineServices.simulated(cacheBytes, memTableBytes, clock, merges, random::nextInt);
    store = EpochStore.at(new FaultyObjectStore(disk, injector), options, services);
  }

  /** True if what a reader of that version needs may be gone. */
  boolean mayMiss(SimulatedHistory.Attempt version) {
    return version.orphan() || version.version() > 0 && version.version() < othersFloor;
  }

  void retiredByAnother(long oldest) {
    othersFloor = Math.max(othersFloor, oldest);
    if (batch != null) {
      // Of a batch on nothing, what it spilled for a version that is retired already.
      long base = batch.baseVersion();
      orphan |= base < oldest && (base > 0 || oldest > 1);
    }
  }

  /** Commits on that many sub-levels wait for merges by the clock on the wall. */
  boolean wouldWait() {
    return ((StoreTransaction) batch).base().version.levels().subLevels().size()
        >= 2 * options.compactAtFiles();
  }

  /** An orderly end. */
  void close() {
    if (batch != null) {
      batch.abort();
    }
    pins.forEach(pin -> pin.snapshot.close());
    store.close();
    while (merges.runOne()) { // they stop at their next look
    }
    services.close();
  }
}
