package io.groundswell.testing;

import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A store that fails when told to: from the n-th operation on as if the process had been cut off
 * from its storage, or once. Opening, writing, publishing, reading, listing and deleting count as
 * an operation each.
 */
public final class FaultyObjectStore implements ObjectStore {
  /** What happens to the object when its publishing is the operation that fails. */
  public enum Publish {
    /** It does not appear. */
    LOST,
    /** It appears, and the caller hears of a failure. */
    APPEARS,
    /** Its first half appears: what a store without atomic publishing would do. */
    TORN
  }

  private final MemoryObjectStore store;
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
  private volatile boolean once;
  private volatile Publish publish = Publish.LOST;
  private volatile long delayMillis;
  private final AtomicInteger operations = new AtomicInteger();

  public FaultyObjectStore(MemoryObjectStore store) {
    this.store = store;
  }

  /** The n-th operation from now fails (1: the next), and all after it. */
  public void failFrom(int operation, Publish how) {
    once = false;
    publish = how;
    left.set(operation);
  }

  /** Only the n-th operation from now fails. */
  public void failOnce(int operation) {
    failFrom(operation, Publish.LOST);
    once = true;
  }

  public void heal() {
    left.set(Integer.MAX_VALUE);
  }

  /** Creating a file of a merge takes that long. */
  public void delayMerges(long millis) {
    delayMillis = millis;
  }

  public int operations() {
    return operations.get();
  }

  private boolean fails() {
    operations.incrementAndGet();
    int now = left.decrementAndGet();
    return now == 0 || now < 0 && !once;
  }

  private void pause() throws IOException {
    try {
      Thread.sleep(delayMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private void operation(String what) throws IOException {
    if (fails()) {
      throw new IOException("injected: " + what);
    }
  }

  @Override
  public String location() {
    return store.location();
  }

  @Override
  public ObjectWriter create(String name) throws IOException {
    operation("create " + name);
    if (name.endsWith(FileNames.SST_SUFFIX)) {
      pause();
    }
    ObjectWriter out = store.create(name);
    return new ObjectWriter() {
      @Override
      public void write(int b) throws IOException {
        out.write(b);
      }

      @Override
      public void write(byte[] source, int offset, int length) throws IOException {
        operation("write " + name);
        out.write(source, offset, length);
      }

      @Override
      public void commit() throws IOException {
        if (!fails()) {
          out.commit();
          return;
        }
        if (publish != Publish.LOST) {
          out.commit();
        }
        if (publish == Publish.TORN) {
          byte[] whole = store.objects.get(name);
          store.objects.put(name, Arrays.copyOf(whole, whole.length / 2));
        }
        throw new IOException("injected: commit " + name);
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    };
  }

  @Override
  public long length(String name) throws IOException {
    operation("length " + name);
    return store.length(name);
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    operation("read " + name);
    return store.read(name, offset, length);
  }

  @Override
  public List<ObjectInfo> list(String prefix) throws IOException {
    operation("list " + prefix);
    return store.list(prefix);
  }

  @Override
  public boolean delete(String name) throws IOException {
    operation("delete " + name);
    return store.delete(name);
  }

  @Override
  public ObjectStore child(String folder) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
