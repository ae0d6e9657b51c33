package io.groundswell.spark.store.checkpoint;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.groundswell.storage.ObjectStore;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;

/**
 * The last files of a log that this process has created. They are read back in the same micro-batch
 * and the next one; they never change, so no request is needed for that.
 */
public final class RecentFiles {
  /** By the log's location, of the run that wrote last; what nobody writes is forgotten. */
  private static final Cache<String, RecentFiles> LOGS =
      CacheBuilder.newBuilder().weakValues().build();

  private static final long FILES = 16;
  private static final int BYTES = 1 << 18;

  private final String log;
  private volatile String newest;
  private final Cache<String, byte[]> files = CacheBuilder.newBuilder().maximumSize(FILES).build();

  /** Of whom writes a log from now on: each run has its own, for a folder may be another one's. */
  RecentFiles(String log) {
    this.log = log;
  }

  /** All bytes of a file of a log; null if there is none. */
  public static byte[] read(ObjectStore log, String name) throws IOException {
    byte[] pending = PendingLogs.read(log.location(), name);
    if (pending != null) {
      return pending;
    }
    RecentFiles recent = LOGS.getIfPresent(log.location());
    byte[] bytes = recent == null ? null : recent.files.getIfPresent(name);
    return bytes == null ? log.readIfThere(name) : bytes;
  }

  void add(String name, byte[] bytes) {
    newest = name;
    if (bytes.length <= BYTES) {
      files.put(name, bytes);
    }
    LOGS.put(log, this);
  }

  /** Whether a batch is the one after the last that was created here: no other is to be there. */
  boolean isNext(String name) {
    String last = newest;
    return last != null && isBatch(last) && isBatch(name)
        && Long.parseLong(name) == Long.parseLong(last) + 1;
  }

  static boolean isBatch(String name) {
    return !name.isEmpty() && name.length() < 19 && name.chars().allMatch(Character::isDigit);
  }

  void remove(String name) {
    files.invalidate(name);
  }

  boolean has(String name) {
    return files.getIfPresent(name) != null;
  }

  /** Null if it is none of them. */
  FSDataInputStream open(String name) {
    byte[] bytes = files.getIfPresent(name);
    return bytes == null ? null : stream(bytes);
  }

  /** Bytes as Hadoop reads files. */
  static FSDataInputStream stream(byte[] bytes) {
    return new FSDataInputStream(new Bytes(bytes));
  }

  /** Hadoop reads files from any position. */
  private static final class Bytes extends FSInputStream {
    private final byte[] bytes;
    private int at;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read() {
      return at < bytes.length ? bytes[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      int count = Math.min(length, bytes.length - at);
      if (count <= 0) {
        return -1;
      }
      System.arraycopy(bytes, at, into, offset, count);
      at += count;
      return count;
    }

    @Override
    public int available() {
      return bytes.length - at;
    }

    @Override
    public void seek(long position) throws IOException {
      if (position < 0 || position > bytes.length) {
        throw new EOFException("position " + position + " of " + bytes.length + " bytes");
      }
      at = (int) position;
    }

    @Override
    public long getPos() {
      return at;
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }
  }
}
