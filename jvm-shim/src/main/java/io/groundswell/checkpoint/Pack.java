package io.groundswell.checkpoint;

import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a pack while they are in memory. Grows until closed; safe for many threads. */
final class Pack {
  final String name;

  // Guarded by this.
  private final List<byte[]> parts = new ArrayList<>();
  private final List<Long> starts = new ArrayList<>();
  private long length;
  private boolean closed;

  Pack(String name) {
    this.name = name;
  }

  synchronized long length() {
    return length;
  }

  /** Takes the bytes over; the caller holds the place that {@link #length} gave. */
  synchronized void append(byte[] bytes) {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    if (bytes.length > 0) {
      starts.add(length);
      parts.add(bytes);
      length += bytes.length;
    }
  }

  synchronized void close() {
    closed = true;
  }

  synchronized byte[] read(long offset, int count) throws EOFException {
    if (offset < 0 || count < 0 || offset > length - count) {
      throw new EOFException(
          name + " has " + length + " bytes; " + count + " from " + offset + " on were asked for");
    }
    byte[] result = new byte[count];
    int part = partOf(offset);
    for (int done = 0; done < count; part++) {
      byte[] bytes = parts.get(part);
      int from = (int) (offset + done - starts.get(part));
      int taken = Math.min(count - done, bytes.length - from);
      System.arraycopy(bytes, from, result, done, taken);
      done += taken;
    }
    return result;
  }

  private int partOf(long offset) {
    int low = 0;
    int high = starts.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts.get(middle) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Writes all of it as one object. The pack must be closed. */
  void writeTo(ObjectStore folder) throws IOException {
    List<byte[]> all;
    synchronized (this) {
      if (!closed) {
        throw new IllegalStateException(name + " is still open");
      }
      all = List.copyOf(parts);
    }
    try (ObjectWriter out = folder.create(name)) {
      for (byte[] part : all) {
        out.write(part, 0, part.length);
      }
      out.commit();
    }
  }
}
