package io.groundswell.testing;

import io.groundswell.storage.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Objects on the heap; what survives a "crash" is what was committed. */
public final class MemoryObjectStore implements ObjectStore {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  public final ConcurrentNavigableMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
  public final AtomicLong reads = new AtomicLong();
  public final AtomicLong bytesRead = new AtomicLong();
  private final Map<String, MemoryObjectStore> children = new ConcurrentHashMap<>();
  private final String location;

  public MemoryObjectStore() {
    this("memory:" + NUMBER.getAndIncrement()); // open tables are known by it: it must be unique
  }

  /**
   * @param location known to the caller to be the only one of this name among what shares services;
   *     caches hash it, so what happens twice must happen at one location
   */
  public MemoryObjectStore(String location) {
    this.location = location;
  }

  @Override
  public String location() {
    return location;
  }

  @Override
  public ObjectWriter create(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    return new ObjectWriter() {
      @Override
      public void write(int b) {
        bytes.write(b);
      }

      @Override
      public void write(byte[] source, int offset, int length) {
        bytes.write(source, offset, length);
      }

      @Override
      public void commit() {
        objects.put(name, bytes.toByteArray());
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public boolean putNew(String name, byte[] bytes) {
    return objects.putIfAbsent(name, bytes.clone()) == null;
  }

  @Override
  public long length(String name) throws FileNotFoundException {
    return bytes(name).length;
  }

  @Override
  public byte[] read(String name, long offset, int length)
      throws FileNotFoundException, EOFException {
    byte[] object = bytes(name);
    if (offset < 0 || length < 0 || offset + length > object.length) {
      throw new EOFException(name + " has " + object.length + " bytes");
    }
    reads.incrementAndGet();
    bytesRead.addAndGet(length);
    return Arrays.copyOfRange(object, (int) offset, (int) offset + length);
  }

  @Override
  public List<ObjectInfo> list(String prefix) {
    return objects.entrySet()
        .stream()
        .filter(object -> object.getKey().startsWith(prefix))
        .map(object -> new ObjectInfo(object.getKey(), object.getValue().length, 0))
        .toList();
  }

  @Override
  public boolean delete(String name) {
    return objects.remove(name) != null;
  }

  @Override
  public ObjectStore child(String folder) {
    return children.computeIfAbsent(folder, name -> new MemoryObjectStore(location + "/" + name));
  }

  @Override
  public void close() {}

  private byte[] bytes(String name) throws FileNotFoundException {
    byte[] object = objects.get(name);
    if (object == null) {
      throw new FileNotFoundException(location + "/" + name);
    }
    return object;
  }
}
