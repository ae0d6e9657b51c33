package io.groundswell.engine;

import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.BatchSpace;
import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.checkpoint.RunLedger;
import io.groundswell.checkpoint.UploadOptions;
import io.groundswell.checkpoint.Uploader;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.Fault;
import io.groundswell.testing.FaultInjector;
import io.groundswell.testing.FaultyObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** One executor of a simulated query: stores whose commits wait in memory, and their uploads. */
final class SimulatedExecutor {
  static final String PACKS = "packs";
  private static final long PLENTY = 1L << 30;

  final String name;
  final SimulatedFaults faults;
  final SimulatedMerges merges = new SimulatedMerges();
  final SimulatedMerges uploads = new SimulatedMerges();
  final BatchPacks packs;
  final Uploader uploader;
  final EpochStore[] stores;

  private final Random random;
  private final ObjectStore storage;
  private final EngineServices services;
  private final Supplier<RunLedger> driver;

  /** Who asks for a commit gets it deferred. */
  boolean defers = true;

  SimulatedExecutor(String name, int storeCount, MemoryObjectStore disk, Random random,
      InstantSource clock, Supplier<RunLedger> driver) {
    this.name = name;
    this.random = random;
    this.driver = driver;
    faults = new SimulatedFaults(random);
    storage = faulty(disk, faults);
    packs = new BatchPacks(storage.child(PACKS));
    long packBytes = random.nextBoolean() ? 600 : 1 << 20;
    long keptBytes = random.nextBoolean() ? 0 : 20_000;
    uploader = Uploader.simulated(new UploadOptions(PLENTY, packBytes, keptBytes, 1), uploads,
        () -> FileNames.newId(clock.millis(), random.nextInt()));
    services = EngineServices.simulated(random.nextBoolean() ? 0 : 1 << 20,
        random.nextInt(4) == 0 ? 5_000 : PLENTY, clock, merges, random::nextInt);
    stores = new EpochStore[storeCount];
    openStores();
  }

  /** The way to the disk; of all objects only packs may appear by half. */
  static ObjectStore faulty(MemoryObjectStore disk, SimulatedFaults faults) {
    FaultInjector injector = new FaultInjector();
    injector.plan((op, object) -> {
      Fault fault = faults.next(op, object);
      boolean whole = !object.endsWith(FileNames.PACK_SUFFIX);
      return fault == Fault.TORN && whole ? Fault.BEFORE : fault;
    });
    return new FaultyObjectStore(disk, injector);
  }

  private void openStores() {
    for (int i = 0; i < stores.length; i++) {
      int store = i;
      StoreOptions options = new StoreOptions(random.nextBoolean() ? 64 : 300,
          random.nextBoolean() ? 2 : 4, 10, 1 << 12, io.groundswell.sst.Compression.NONE)
                                 .withLevelBase(random.nextBoolean() ? 2_000 : 1L << 30);
      BatchSpace space = new BatchSpace(
          packs, path(store), version -> defers ? new Deferred(store, version) : Destination.ALONE);
      stores[i] = EpochStore.at(storage.child("store" + store), space, options, services);
    }
  }

  private static String path(int store) {
    return "0/" + store;
  }

  /** A new run of the query in the same process: its stores are new, its memory is not. */
  void newRun() {
    for (EpochStore store : stores) {
      store.close();
    }
    while (merges.runOne()) { // they stop at their next look
    }
    uploader.keepOnly(packs, driver.get().owner().id());
    openStores();
  }

  /** Uploads all that waits for it. */
  void upload() {
    while (uploads.runOne()) {
    }
  }

  void close() {
    uploader.close();
    for (EpochStore store : stores) {
      store.close();
    }
    while (merges.runOne()) {
    }
    services.close();
  }

  private final class Deferred implements Destination {
    private final int store;
    private final long version;
    private final RunLedger ledger = driver.get();

    Deferred(int store, long version) {
      this.store = store;
      this.version = version;
    }

    @Override
    public boolean packs(long memoryBytes) {
      return random.nextInt(6) > 0; // some are too large to wait
    }

    @Override
    public Set<String> pack(String id, long made, long memoryBytes, byte[] rows, Tail tail)
        throws IOException {
      return register(uploader.seal(packs, ledger.owner().id(), made, path(store), id, rows, tail));
    }

    @Override
    public Set<String> published(String id, long length, Map<String, Long> needed) {
      return register(new FinishedCommit(path(store), id, null, 0, length, needed));
    }

    private Set<String> register(FinishedCommit commit) {
      return ledger.register(version, name, commit, true);
    }
  }
}
