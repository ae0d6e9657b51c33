package io.groundswell.iter;

import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The merge loop with position in plain fields against the same heap over an interface, as three
 * kinds of sources make every call of it megamorphic. No test.
 *
 * <p>Run: {@code java -cp <classes>:<test classes>:<pyspark jars>
 * io.groundswell.iter.MergeBenchmark [entries] [sources]}
 */
public final class MergeBenchmark {
  /** What a merge would ask of its sources if they hid their position. */
  interface Source {
    boolean valid();

    byte[] key();

    int keyLength();

    byte[] value();

    void next();
  }

  /** Three classes of one behaviour: mem-table, file, run. */
  private static class First implements Source {
    private final byte[][] keys;
    private final byte[] value = new byte[90];
    private int at;

    First(byte[][] keys) {
      this.keys = keys;
    }

    @Override
    public boolean valid() {
      return at < keys.length;
    }

    @Override
    public byte[] key() {
      return keys[at];
    }

    @Override
    public int keyLength() {
      return keys[at].length;
    }

    @Override
    public byte[] value() {
      return value;
    }

    @Override
    public void next() {
      at++;
    }
  }

  private static final class Second extends First {
    Second(byte[][] keys) {
      super(keys);
    }

    @Override
    public void next() {
      super.next();
    }

    @Override
    public byte[] key() {
      return super.key();
    }
  }

  private static final class Third extends First {
    Third(byte[][] keys) {
      super(keys);
    }

    @Override
    public void next() {
      super.next();
    }

    @Override
    public byte[] key() {
      return super.key();
    }
  }

  /** The same entries with position in fields. */
  private static final class Fields extends EntryCursor {
    private final byte[][] keys;
    private int at;

    Fields(byte[][] keys) {
      this.keys = keys;
      value = new byte[90];
    }

    @Override
    public void seekToFirst() {
      at = 0;
      show();
    }

    @Override
    public void seek(byte[] target, int targetLength) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void next() {
      at++;
      show();
    }

    private void show() {
      valid = at < keys.length;
      if (valid) {
        key = keys[at];
        keyLength = key.length;
      }
    }
  }

  private MergeBenchmark() {}

  public static void main(String[] args) {
    int entries = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    int sources = args.length > 1 ? Integer.parseInt(args[1]) : 8;
    byte[][][] keys = keys(entries, sources);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < 12; round++) {
      long start = System.nanoTime();
      long a = interfaces(keys);
      long middle = System.nanoTime();
      long b = fields(keys);
      long end = System.nanoTime();
      if (a != b) {
        throw new AssertionError(a + " is not " + b);
      }
      System.out.printf(
          "interface %.1f ms, fields %.1f ms%n", (middle - start) / 1e6, (end - middle) / 1e6);
      if (round >= 4) {
        ratios.add((end - middle) / (double) (middle - start));
      }
    }
    ratios.sort(null);
    System.out.printf("%d entries of %d sources: fields take %.2f of the interface's time%n",
        entries, sources, ratios.get(ratios.size() / 2));
  }

  private static byte[][][] keys(int entries, int sources) {
    TableSpec table = new TableSpec(1, "t", TableSpec.Layout.HASHED, false);
    Random random = new Random(1);
    byte[][][] all = new byte[sources][entries / sources][];
    for (byte[][] some : all) {
      for (int i = 0; i < some.length; i++) {
        byte[] user = new byte[24];
        random.nextBytes(user);
        some[i] = new byte[InternalKey.encodedLength(user.length)];
        InternalKey.encode(table, random.nextInt(), user, 0, user.length, 7, some[i], 0);
      }
      Arrays.sort(some, (a, b) -> InternalKey.compare(a, a.length, b, b.length));
    }
    return all;
  }

  private static long fields(byte[][][] keys) {
    EntryCursor[] cursors = Arrays.stream(keys).map(Fields::new).toArray(EntryCursor[] ::new);
    MergeCursor merged = new MergeCursor(cursors);
    long sum = 0;
    for (merged.seekToFirst(); merged.valid; merged.next()) {
      sum = 31 * sum + merged.key[9] + merged.keyLength + merged.value.length;
    }
    return sum;
  }

  private static long interfaces(byte[][][] keys) {
    Source[] heap = new Source[keys.length];
    for (int i = 0; i < heap.length; i++) {
      heap[i] = i % 3 == 0 ? new First(keys[i])
          : i % 3 == 1     ? new Second(keys[i])
                           : new Third(keys[i]);
    }
    int size = heap.length;
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(heap, size, i);
    }
    long sum = 0;
    while (size > 0) {
      Source top = heap[0];
      sum = 31 * sum + top.key()[9] + top.keyLength() + top.value().length;
      top.next();
      if (!top.valid()) {
        heap[0] = heap[--size];
      }
      sink(heap, size, 0);
    }
    return sum;
  }

  private static void sink(Source[] heap, int size, int start) {
    int hole = start;
    Source moving = heap[hole];
    int child = 2 * hole + 1;
    while (child < size) {
      if (child + 1 < size && before(heap[child + 1], heap[child])) {
        child++;
      }
      if (before(moving, heap[child])) {
        break;
      }
      heap[hole] = heap[child];
      hole = child;
      child = 2 * hole + 1;
    }
    heap[hole] = moving;
  }

  private static boolean before(Source a, Source b) {
    return InternalKey.compare(a.key(), a.keyLength(), b.key(), b.keyLength()) < 0;
  }
}
