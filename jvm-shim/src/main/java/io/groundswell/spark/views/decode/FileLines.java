package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;

/**
 * Lines of a part of an uncompressed file, found in large blocks of it and not copied.
 *
 * <p>Parts meet as Hadoop's do: a part leaves its first line to the one before it, unless the file
 * begins with it, and takes the line that begins where the part ends.
 */
final class FileLines implements Lines, Closeable {
  private static final int BLOCK = 1 << 17;
  private static final int BEHIND = 1 << 10; // where the last line may end
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x80 * ONES;
  private static final long FEEDS = '\n' * ONES;
  private static final long RETURNS = '\r' * ONES;
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  private final long end;
  private final int block;

  private byte[] bytes = new byte[0];
  private long base; // position in the file of the first byte held
  private int filled;
  private int at; // where the next line begins

  private boolean isFirst; // the next line is the file's first, which begins with its mark
  private int start;
  private int length;

  /**
   * @param in at the first byte of the part
   * @param from position of that in the file
   * @param size bytes of the part; the last line may end behind them
   * @param block bytes that are read at once
   */
  FileLines(InputStream in, long from, long size, int block) {
    this.in = in;
    this.base = from;
    this.end = from + size;
    this.block = block;
    if (from > 0) {
      move();
    } else {
      skipMark();
    }
  }

  static FileLines open(Path path, long from, long size, Configuration conf) {
    try {
      FSDataInputStream in = FutureIO.awaitFuture(path.getFileSystem(conf)
              .openFile(path)
              .optLong("fs.option.openfile.split.start", from)
              .optLong("fs.option.openfile.split.end", from + size)
              .build());
      try {
        in.seek(from);
        return new FileLines(in, from, size, (int) Math.min(BLOCK, size + BEHIND));
      } catch (IOException | RuntimeException e) {
        in.close();
        throw e;
      }
    } catch (IOException e) {
      throw Scala.unchecked(e);
    }
  }

  private void skipMark() {
    isFirst = true;
    while (filled < MARK.length && fill()) {
      // until there are enough bytes, or no more
    }
    if (filled >= MARK.length && bytes[0] == MARK[0] && bytes[1] == MARK[1]
        && bytes[2] == MARK[2]) {
      at = MARK.length;
    }
  }

  @Override
  public boolean next() {
    boolean begins = isFirst || base + at <= end;
    isFirst = false;
    return begins && move();
  }

  /** Takes the next line, wherever it begins. */
  private boolean move() {
    int stop = stop(bytes, at, filled);
    while (stop == filled) {
      int seen = filled - at;
      if (!fill()) {
        start = at;
        length = seen;
        at = filled;
        return seen > 0;
      }
      stop = stop(bytes, at + seen, filled);
    }
    length = stop - at;
    if (bytes[stop] == '\r' && (stop + 1 < filled || fill()) && bytes[at + length + 1] == '\n') {
      start = at;
      at += length + 2;
    } else {
      start = at;
      at += length + 1;
    }
    return true;
  }

  /** Where the first end of a line stands; {@code to}: there is none. */
  private static int stop(byte[] bytes, int from, int to) {
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      long eight = (long) LONGS.get(bytes, i);
      long feeds = eight ^ FEEDS;
      long returns = eight ^ RETURNS;
      long found = (((feeds - ONES) & ~feeds) | ((returns - ONES) & ~returns)) & HIGH;
      if (found != 0) {
        return i + (Long.numberOfTrailingZeros(found) >>> 3);
      }
    }
    while (i < to && bytes[i] != '\n' && bytes[i] != '\r') {
      i++;
    }
    return i;
  }

  /** Reads on behind the line that has begun, into bytes of their own; false: the file ends. */
  private boolean fill() {
    int kept = filled - at;
    byte[] more = new byte[Math.max(block, Math.multiplyExact(kept, 2))];
    System.arraycopy(bytes, at, more, 0, kept);
    int read = read(more, kept);
    if (read < 0) {
      return false;
    }
    base += at;
    at = 0;
    bytes = more;
    filled = kept + read;
    return true;
  }

  private int read(byte[] into, int from) {
    try {
      int read;
      do {
        read = in.read(into, from, into.length - from);
      } while (read == 0);
      return read;
    } catch (IOException e) {
      throw Scala.unchecked(e);
    }
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int start() {
    return start;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
