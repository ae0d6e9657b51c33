package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.checkpoint.BatchPackRetention;
import io.groundswell.checkpoint.BatchPacks;
import io.groundswell.checkpoint.BatchSpace;
import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.ExecutorGone;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.checkpoint.Ownership;
import io.groundswell.checkpoint.RunLedger;
import io.groundswell.checkpoint.UploadOptions;
import io.groundswell.checkpoint.Uploader;
import io.groundswell.error.EngineException;
import io.groundswell.key.TableSpec;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.FaultyObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Op;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A small cluster over one storage: some executors, one driver, and what should be in the state.
 */
final class DeferredCommitsRun implements AutoCloseable {
  static final int EXECUTORS = 2;
  static final int STORES = 5;
  private static final String TABLE = "rows";

  private final Random random;

  /** No task is tried twice or moves, and packs hold a whole batch. */
  private final boolean calm;

  private final int compactAtFiles;

  private final FaultyObjectStore storage = new FaultyObjectStore(new MemoryObjectStore());

  /** What is recorded: by version, by store. */
  private final List<List<TreeMap<String, String>>> states = new ArrayList<>();

  private final List<Executor> executors = new ArrayList<>();
  private RunLedger ledger;

  /** A store that gets some rows in the batch of its own number which stay as they are. */
  int cold = -1;
  private List<TreeMap<String, String>> next;

  private final class Executor implements AutoCloseable {
    final String name;
    final BatchPacks packs = new BatchPacks(storage.child("packs"));
    final Uploader uploader =
        new Uploader(new UploadOptions(1 << 20, calm ? 1 << 20 : 600, 1 << 20, 2));
    final EngineServices services = EngineServices.create(1 << 20, 1);
    final EpochStore[] stores = new EpochStore[STORES];
    boolean defers;
    boolean dead;

    Executor(int number) {
      name = String.valueOf(number);
      for (int i = 0; i < STORES; i++) {
        stores[i] = open(this, i, services);
      }
    }

    @Override
    public void close() {
      dead = true;
      uploader.close();
      for (EpochStore store : stores) {
        store.close();
      }
      services.close();
    }
  }

  DeferredCommitsRun(Random random, boolean calm) {
    this(random, calm, calm ? 100 : 3);
  }

  /** With this many sub-levels that start a merge. */
  DeferredCommitsRun(Random random, boolean calm, int compactAtFiles) {
    this.random = random;
    this.calm = calm;
    this.compactAtFiles = compactAtFiles;
    List<TreeMap<String, String>> empty = new ArrayList<>();
    for (int i = 0; i < STORES; i++) {
      empty.add(new TreeMap<>());
    }
    states.add(empty);
    restart();
  }

  private EpochStore open(Executor executor, int store, EngineServices services) {
    ObjectStore folder = storage.child("store" + store);
    BatchSpace space = new BatchSpace(executor.packs, "0/" + store,
        version -> executor.defers ? destination(executor, store, version) : Destination.ALONE);
    return EpochStore.at(folder, space, new StoreOptions(256, compactAtFiles, 10), services);
  }

  Destination destination(int executor, int store, long version) {
    return destination(executors.get(executor), store, version);
  }

  private Destination destination(Executor executor, int store, long version) {
    String path = "0/" + store;
    RunLedger driver = ledger;
    return new Destination() {
      @Override
      public boolean packs(long memoryBytes) {
        return calm || random.nextInt(6) > 0; // some are too large to wait
      }

      @Override
      public Set<String> pack(String id, long made, long memoryBytes, byte[] rows, Tail tail)
          throws IOException {
        return driver.register(made, executor.name,
            executor.uploader.seal(executor.packs, driver.owner().id(), made, path, id, rows, tail),
            true);
      }

      @Override
      public Set<String> published(String id, long length, Map<String, Long> packs) {
        return driver.register(
            version, executor.name, new FinishedCommit(path, id, null, 0, length, packs), true);
      }
    };
  }

  /** New processes everywhere; storage is what it was. */
  void restart() {
    executors.forEach(Executor::close);
    executors.clear();
    for (int i = 0; i < EXECUTORS; i++) {
      executors.add(new Executor(i));
    }
    BatchPacks packs = new BatchPacks(storage.child("packs"));
    ledger = new RunLedger(packs, claim("run " + states.size()), recorded());
  }

  void claimByAnother() {
    claim("the other one");
  }

  private Ownership claim(String who) {
    try {
      return Ownership.claim(storage.child("owners"), who, 0, System.currentTimeMillis());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void kill(int executor) {
    executors.get(executor).close();
  }

  void plan(FaultPlan plan) {
    storage.injector().plan(plan);
  }

  long recorded() {
    return states.size() - 1;
  }

  long puts() {
    return storage.injector().calls(Op.PUT);
  }

  long readsOfStorage() {
    return storage.injector().calls(Op.GET) - ownerReads;
  }

  private long ownerReads;

  void batchWithoutAccidents() {
    commitAll(true);
    release();
  }

  /** One batch; false if it failed, and nothing of it is recorded. */
  boolean batch(boolean defers) {
    try {
      commitAll(defers);
      if (random.nextInt(10) == 0) {
        int victim = random.nextInt(EXECUTORS);
        if (random.nextBoolean()) {
          executors.get(victim).uploader.flushAll().join(); // its answer is lost, its pack is not
        }
        kill(victim);
      }
      release();
      return true;
    } catch (EngineException | java.util.concurrent.CompletionException e) {
      return false;
    }
  }

  /** As {@link #batchWithoutAccidents}, and no merge is left for later. */
  void batchAndItsMerges() {
    batchWithoutAccidents();
    for (Executor executor : executors) {
      for (EpochStore store : executor.stores) {
        store.awaitMerges(10_000);
      }
    }
  }

  /** A counter of all stores together. */
  long count(String counter) {
    long sum = 0;
    for (Executor executor : executors) {
      for (EpochStore store : executor.stores) {
        sum += store.metrics().get(counter);
      }
    }
    return sum;
  }

  /** Names of the packs in storage. */
  List<String> packs() {
    try {
      return storage.child("packs")
          .list("")
          .stream()
          .map(ObjectStore.ObjectInfo::name)
          .filter(name -> name.endsWith(".pack"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts rows into each store that no later batch touches. */
  void coldRows(int store, Transaction batch, TableSpec table, TreeMap<String, String> state) {
    for (int i = 0; i < 200; i++) {
      String key = "cold" + i;
      Rows.put(batch, table, key, "of store " + store);
      state.put(key, "of store " + store);
    }
  }

  /** Many rows beside the cold ones, in the same pack, that the next batch deletes. */
  private void shortLivedRows(Transaction batch, TableSpec table, TreeMap<String, String> state) {
    for (int i = 0; i < 1000; i++) {
      String key = "short" + i;
      if (recorded() == cold) {
        Rows.put(batch, table, key, "of one batch");
        state.put(key, "of one batch");
      } else if (recorded() == cold + 1) {
        Rows.delete(batch, table, key);
        state.remove(key);
      }
    }
  }

  /** Commits every store somewhere, some twice: attempts of one task do the same. */
  void commitAll(boolean defers) {
    next = new ArrayList<>();
    executors.forEach(executor -> executor.defers = defers);
    for (int store = 0; store < STORES; store++) {
      long seed = random.nextLong();
      int where = !calm && random.nextInt(8) == 0 ? random.nextInt(EXECUTORS) : store % EXECUTORS;
      next.add(commit(where, store, new Random(seed)));
      if (!calm && random.nextInt(6) == 0) {
        commit(random.nextInt(EXECUTORS), store, new Random(seed));
      }
    }
  }

  /** Another attempt at what {@link #commitAll} has done for a store. */
  void commitAgain(int executor, int store) {
    next.set(store, commit(executor, store, new Random(store)));
  }

  private TreeMap<String, String> commit(int executor, int store, Random rows) {
    TreeMap<String, String> state = new TreeMap<>(states.get(states.size() - 1).get(store));
    try (Transaction batch = executors.get(executor).stores[store].begin(recorded(), null)) {
      TableSpec table = batch.createTable(TABLE, TableSpec.Layout.HASHED, true);
      if (cold == store && recorded() == cold) {
        coldRows(store, batch, table, state);
      } else if (cold >= 0 && cold != store) {
        shortLivedRows(batch, table, state);
      }
      int count = rows.nextInt(8);
      for (int i = 0; i < count; i++) {
        String key = "k" + rows.nextInt(40);
        if (rows.nextInt(4) == 0) {
          Rows.delete(batch, table, key);
          state.remove(key);
        } else {
          String value = recorded() + "-" + rows.nextInt();
          Rows.put(batch, table, key, value);
          state.put(key, value);
        }
      }
      batch.commit();
    }
    return state;
  }

  /** Waits for all that was sealed, and records the batch. */
  void release() {
    long gets = storage.injector().calls(Op.GET);
    try {
      ledger.release(recorded() + 1, this::flush);
    } catch (IOException e) {
      throw new EngineException(io.groundswell.error.ErrorCode.STORAGE, "release: " + e, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    ownerReads += storage.injector().calls(Op.GET) - gets;
    states.add(next);
  }

  private CompletableFuture<Void> flush(String executor, String owner, long version) {
    Executor asked = executors.get(Integer.parseInt(executor));
    return asked.dead ? CompletableFuture.failedFuture(new ExecutorGone(executor, "killed"))
                      : asked.uploader.flush(asked.packs, owner, version);
  }

  /** Deletes what is older, as the owner and as the stores of one executor. */
  void retire(long oldest) {
    try {
      ledger.leave(BatchPackRetention.run(ledger.folder(), oldest).sparse());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int store = 0; store < STORES; store++) {
      Executor executor = executors.get(store % EXECUTORS);
      if (!executor.dead) {
        executor.stores[store].retire(oldest);
      }
    }
  }

  /** A new process finds the version as it was recorded. */
  void check(long version) {
    try (Executor fresh = new Executor(EXECUTORS)) {
      for (int store = 0; store < STORES; store++) {
        TreeMap<String, String> found = new TreeMap<>();
        String id = version % 2 == 0 ? null : fresh.stores[store].versions().get(version);
        try (Snapshot snapshot = fresh.stores[store].snapshot(version, id)) {
          TableSpec table = snapshot.table(TABLE);
          if (table != null) {
            Rows.all(snapshot.scan(table)).forEach(row -> {
              String[] pair = row.split("=", 2);
              found.put(pair[0], pair[1]);
            });
            assertEquals(found.size(), snapshot.count(table));
          }
        }
        assertEquals(states.get((int) version).get(store), found,
            "version " + version + " of store " + store + " of " + recorded());
      }
    }
  }

  @Override
  public void close() {
    executors.forEach(Executor::close);
  }
}
