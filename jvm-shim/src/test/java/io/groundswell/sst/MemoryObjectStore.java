package io.groundswell.sst;

import io.groundswell.storage.ObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Objects of a test; counts what is read. */
public final class MemoryObjectStore implements ObjectStore {
  public final Map<String, byte[]> objects = new ConcurrentHashMap<>();
  public final AtomicLong reads = new AtomicLong();
  public final AtomicLong bytesRead = new AtomicLong();

  @Override
  public String location() {
    return "memory";
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
      public void write(byte[] from, int offset, int length) {
        bytes.write(from, offset, length);
      }

      @Override
      public void commit() {
        objects.put(name, bytes.toByteArray());
      }

      @Override
      public void close() {}
    };
  }

  private byte[] object(String name) throws FileNotFoundException {
    byte[] bytes = objects.get(name);
    if (bytes == null) {
      throw new FileNotFoundException(name);
    }
    return bytes;
  }

  @Override
  public long length(String name) throws FileNotFoundException {
    return object(name).length;
  }

  @Override
  public byte[] read(String name, long offset, int length)
      throws FileNotFoundException, EOFException {
    byte[] bytes = object(name);
    if (offset < 0 || length < 0 || offset + length > bytes.length) {
      throw new EOFException(name);
    }
    reads.incrementAndGet();
    bytesRead.addAndGet(length);
    return Arrays.copyOfRange(bytes, (int) offset, (int) offset + length);
  }

  @Override
  public List<ObjectInfo> list(String prefix) {
    return objects.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .sorted()
        .map(name -> new ObjectInfo(name, objects.get(name).length, 0))
        .toList();
  }

  @Override
  public boolean delete(String name) {
    return objects.remove(name) != null;
  }

  @Override
  public ObjectStore child(String folder) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
