package io.groundswell.spark.views.dataflow.state;

import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** An object that is kept in memory if it is small, and goes to storage if it outgrows that. */
final class BufferedWriter extends ObjectWriter {
  /** What is larger would cost more memory than a request to storage costs time. */
  static final int MOST_BYTES = 32 << 20;

  /** Takes a whole object. */
  @FunctionalInterface
  interface Keeper {
    void keep(String name, byte[] bytes) throws IOException;
  }

  private final ObjectStore store;
  private final String name;
  private final Keeper keeper;
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Null while it is small. */
  private ObjectWriter stored;

  BufferedWriter(ObjectStore store, String name, Keeper keeper) {
    this.store = store;
    this.name = name;
    this.keeper = keeper;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    if (stored == null && bytes.size() + (long) length > MOST_BYTES) {
      stored = store.create(name);
      bytes.writeTo(stored);
      bytes = null;
    }
    if (stored == null) {
      bytes.write(from, offset, length);
    } else {
      stored.write(from, offset, length);
    }
  }

  @Override
  public void commit() throws IOException {
    if (stored == null) {
      keeper.keep(name, bytes.toByteArray());
    } else {
      stored.commit();
    }
  }

  @Override
  public void close() throws IOException {
    if (stored != null) {
      stored.close();
    }
  }
}
