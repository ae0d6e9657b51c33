package io.groundswell.engine;

import io.groundswell.storage.ObjectStore;

/** CONTRACT STUB, to be replaced: one LSM store over one folder. See docs/rfcs/0001. */
public final class EpochStore implements AutoCloseable {
  private EpochStore() {}

  /** Does no I/O. */
  public static EpochStore at(ObjectStore folder, StoreOptions options, EngineServices services) {
    throw new UnsupportedOperationException();
  }

  /**
   * Opens the state at {@code version} for reading. {@code id} names one of several attempts that
   * committed this version; null takes the last one written. Version 0 is the empty store.
   */
  public Snapshot snapshot(long version, String id) {
    throw new UnsupportedOperationException();
  }

  /** Starts a batch on top of {@code version}; its commit writes {@code version + 1}. */
  public Transaction begin(long version, String id) {
    throw new UnsupportedOperationException();
  }

  /** Deletes files that no version from {@code oldestRetained} on needs; returns how many. */
  public int retire(long oldestRetained) {
    throw new UnsupportedOperationException();
  }

  /** Versions that can be opened, ascending, each with the id that {@code null} would take. */
  public java.util.NavigableMap<Long, String> versions() {
    throw new UnsupportedOperationException();
  }

  public StoreMetrics metrics() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
