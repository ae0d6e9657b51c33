package io.groundswell.spark.views.operator.state;

import io.groundswell.spark.shims.SpillFile;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows of an operator's inputs in local files, by part of the hash of their key: all rows of a key
 * are in one part. The files lie in Spark's local folders and go with {@link #close}.
 *
 * <p>A file is a stream of records: number of the input (1 byte), weight (4), length of the
 * row (4), row.
 */
final class KeyParts implements AutoCloseable {
  static final int PARTS = 32;

  private final int level;
  private final SpillFile[] files = new SpillFile[PARTS];
  private final DataOutputStream[] out = new DataOutputStream[PARTS];
  private byte[] copy = new byte[1 << 10];

  /** Each level cuts keys in another way: a part of one level is cut by the next. */
  KeyParts(int level) {
    this.level = level;
  }

  void add(int input, int hash, int weight, UnsafeRow row) {
    int part = part(hash);
    int length = row.getSizeInBytes();
    try {
      if (out[part] == null) {
        files[part] = SpillFile.create();
        out[part] = new DataOutputStream(files[part].write());
      }
      out[part].writeByte(input);
      out[part].writeInt(weight);
      out[part].writeInt(length);
      if (copy.length < length) {
        copy = new byte[Math.max(length, copy.length * 2)];
      }
      Platform.copyMemory(
          row.getBaseObject(), row.getBaseOffset(), copy, Platform.BYTE_ARRAY_OFFSET, length);
      out[part].write(copy, 0, length);
    } catch (IOException e) {
      throw failed("write", part, e);
    }
  }

  /** Ends the writing. */
  void finish() {
    for (int part = 0; part < PARTS; part++) {
      close(part);
    }
  }

  /** Whether a part has rows, of any input. */
  boolean has(int part) {
    return files[part] != null;
  }

  /** The rows of an input in a part, with their weight as the last column; rows are reused. */
  Iterator<InternalRow> rows(int part, int input, int columns) {
    return new Rows(part, input, columns);
  }

  /** Deletes a part's file. */
  void delete(int part) {
    close(part);
    if (files[part] != null) {
      files[part].delete();
      files[part] = null;
    }
  }

  @Override
  public void close() {
    for (int part = 0; part < PARTS; part++) {
      delete(part);
    }
  }

  private void close(int part) {
    try {
      if (out[part] != null) {
        out[part].close();
        out[part] = null;
      }
    } catch (IOException e) {
      throw failed("write", part, e);
    }
  }

  /** The finaliser of MurmurHash3, over the hash and the level. */
  private int part(int hash) {
    int mixed = hash + level * 0x9E3779B9;
    mixed = (mixed ^ mixed >>> 16) * 0x85EBCA6B;
    mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
    return (mixed ^ mixed >>> 16) & PARTS - 1;
  }

  private UncheckedIOException failed(String what, int part, IOException e) {
    return new UncheckedIOException("cannot " + what + " " + files[part]
            + ", where an operator keeps rows of a barrier that is"
            + " larger than its memory: " + e + "; check the disk of spark.local.dir",
        e);
  }

  private final class Rows implements Iterator<InternalRow> {
    private final int part;
    private final int input;
    private final UnsafeRow values;
    private final UnsafeRow weight = new UnsafeRow(1);
    private final JoinedRow row = new JoinedRow();
    private final DataInputStream in;
    private byte[] bytes = new byte[1 << 10];
    private boolean ready;
    private boolean ended;

    Rows(int part, int input, int columns) {
      this.part = part;
      this.input = input;
      this.values = new UnsafeRow(columns);
      weight.pointTo(new byte[16], 16);
      try {
        in = new DataInputStream(files[part].read());
      } catch (IOException e) {
        throw failed("read", part, e);
      }
    }

    @Override
    public boolean hasNext() {
      while (!ready && !ended) {
        try {
          read();
        } catch (IOException e) {
          throw failed("read", part, e);
        }
      }
      return ready;
    }

    private void read() throws IOException {
      int of = in.read();
      if (of < 0) {
        ended = true;
        in.close();
        return;
      }
      weight.setInt(0, in.readInt());
      int length = in.readInt();
      if (of != input) {
        skip(length);
        return;
      }
      if (bytes.length < length) {
        bytes = new byte[Math.max(length, bytes.length * 2)];
      }
      in.readFully(bytes, 0, length);
      values.pointTo(bytes, length);
      ready = true;
    }

    private void skip(int length) throws IOException {
      for (int left = length; left > 0;) {
        int skipped = in.skipBytes(left);
        if (skipped == 0) {
          throw new EOFException("a row of " + length + " bytes ends early");
        }
        left -= skipped;
      }
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      ready = false;
      return row.apply(values, weight);
    }
  }
}
