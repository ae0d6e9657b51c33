package io.groundswell.spark.store.checkpoint;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;

/**
 * The last files of a log that this process has created. Spark reads them back in the next
 * micro-batch; they never change, so no request is needed for that.
 */
final class RecentFiles {
  private static final long FILES = 16;
  private static final int BYTES = 1 << 18;

  private final Cache<String, byte[]> files = CacheBuilder.newBuilder().maximumSize(FILES).build();

  void add(String name, byte[] bytes) {
    if (bytes.length <= BYTES) {
      files.put(name, bytes);
    }
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
    return bytes == null ? null : new FSDataInputStream(new Bytes(bytes));
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
