package io.groundswell.spark.views.operator;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.lookup.PointRead;
import io.groundswell.testing.MemoryObjectStore;
import java.util.Map;

/**
 * A test's operator's state: the engine on the heap, with files and blocks so small that it
 * merges.
 */
public final class TestState implements AutoCloseable {
  private final EngineServices services;
  private final EpochStore store;
  private Transaction.Commit last = new Transaction.Commit(0, null, null, 0, 0, 0);

  public TestState() {
    this(new StoreOptions(256, 4, 10), 8 << 20);
  }

  public TestState(StoreOptions options, long cacheBytes) {
    services = EngineServices.create(cacheBytes, 1);
    store = EpochStore.at(new MemoryObjectStore(), options, services);
  }

  /** A batch on the last commit. */
  public Transaction begin() {
    return store.begin(last.version(), last.id());
  }

  public void commit(Transaction tx) {
    last = tx.commit();
  }

  /** The last commit. */
  public Snapshot snapshot() {
    return store.snapshot(last.version(), last.id());
  }

  /** Of an index: hash of a key → its rows, about. */
  public Map<Integer, Long> frequent() {
    try (Snapshot snapshot = snapshot()) {
      return PointRead.frequent(snapshot);
    }
  }

  @Override
  public void close() {
    store.close();
    services.close();
  }
}
