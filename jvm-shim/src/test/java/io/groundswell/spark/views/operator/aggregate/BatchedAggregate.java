package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;

/**
 * What an aggregation would be that takes rows in batches: {@code count(*)} and three sums of
 * longs, and nothing else. Keys lie in one array, groups are numbers, their values stand in arrays
 * of longs, and the state is read and written in the order of the keys' hashes. It does what the
 * operator does for these calls, so it is the most that such a path can win.
 */
final class BatchedAggregate {
  private static final int SUMS = 3;
  private static final int VALUES = 1 + SUMS;

  private final List<Column> input;
  private final int[] key;
  private final int[] sums;

  BatchedAggregate(List<Column> input, int[] key, int[] sums) {
    this.input = input;
    this.key = key;
    this.sums = sums;
  }

  /** Gives each row of the output, before and after, with its weight. */
  void run(Transaction tx, Iterator<InternalRow> rows, OperatorCounters counters,
      Consumer<UnsafeRow> out) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    Groups groups = new Groups();
    long[] values = new long[VALUES * 1024];
    int weightAt = input.size();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UnsafeRow of = keys.of(row);
      int group = groups.of(keys.hash(of), of);
      if (VALUES * (group + 1) > values.length) {
        values = Arrays.copyOf(values, 2 * values.length);
      }
      int at = VALUES * group;
      long weight = row.getInt(weightAt);
      values[at] += weight;
      for (int i = 0; i < SUMS; i++) {
        if (!row.isNullAt(sums[i])) {
          values[at + 1 + i] += weight * row.getLong(sums[i]);
        }
      }
    }
    apply(tx, code, groups, values, counters, out);
    code.release();
  }

  private void apply(Transaction tx, Projections code, Groups groups, long[] values,
      OperatorCounters counters, Consumer<UnsafeRow> out) {
    StateTable table = StateTable.hashed(tx, "groups", counters);
    DataType[] of = new DataType[VALUES + 1];
    Arrays.fill(of, 0, VALUES, DataTypes.LongType);
    of[VALUES] = DataTypes.IntegerType;
    UnsafeRowJoiner joiner = code.joiner(Projections.types(input, key), of);
    UnsafeRow results = new UnsafeRow(VALUES + 1);
    results.pointTo(new byte[8 + 8 * (VALUES + 1)], 8 + 8 * (VALUES + 1));
    UnsafeRow keyRow = new UnsafeRow(key.length);
    ByteReader in = new ByteReader();
    ByteWriter state = new ByteWriter();
    for (int group : groups.byHash()) {
      int at = VALUES * group;
      int hash = groups.hashes[group];
      int from = groups.ends[group];
      int length = groups.ends[group + 1] - from;
      keyRow.pointTo(groups.bytes, Platform.BYTE_ARRAY_OFFSET + from, length);
      Slice found = table.get(hash, keyRow);
      if (found != null) {
        in.set(found.bytes, found.offset);
        for (int i = 0; i < VALUES; i++) {
          long was = in.getVarLong();
          results.setLong(i, was);
          values[at + i] += was;
        }
        results.setInt(VALUES, -1);
        counters.rowsOut++;
        out.accept(joiner.join(keyRow, results));
      }
      state.clear();
      for (int i = 0; i < VALUES; i++) {
        state.putVarLong(values[at + i]);
        results.setLong(i, values[at + i]);
      }
      results.setInt(VALUES, 1);
      table.put(hash, groups.bytes, from, length, state.bytes, state.length);
      counters.rowsOut++;
      out.accept(joiner.join(keyRow, results));
    }
  }

  /** Keys, each once, numbered in the order in which they came; open addressing. */
  private static final class Groups {
    private byte[] bytes = new byte[1 << 16];
    private int[] ends = new int[1025];
    private int[] hashes = new int[1024];
    private int[] slots = new int[4096]; // number + 1; 0: free
    private int count;

    int of(int hash, UnsafeRow key) {
      byte[] from = StateTable.bytes(key);
      int offset = StateTable.offset(key);
      int length = key.getSizeInBytes();
      int slot = spread(hash) & (slots.length - 1);
      for (; slots[slot] != 0; slot = (slot + 1) & (slots.length - 1)) {
        int group = slots[slot] - 1;
        if (hashes[group] == hash
            && Arrays.equals(bytes, ends[group], ends[group + 1], from, offset, offset + length)) {
          return group;
        }
      }
      slots[slot] = count + 1;
      return add(hash, from, offset, length);
    }

    private int add(int hash, byte[] from, int offset, int length) {
      int start = ends[count];
      if (start + length > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length);
      }
      System.arraycopy(from, offset, bytes, start, length);
      if (count == hashes.length) {
        hashes = Arrays.copyOf(hashes, 2 * count);
        ends = Arrays.copyOf(ends, 2 * count + 1);
      }
      hashes[count] = hash;
      ends[++count] = start + length;
      if (4 * count > slots.length) {
        grow();
      }
      return count - 1;
    }

    private void grow() {
      slots = new int[4 * slots.length];
      for (int group = 0; group < count; group++) {
        int slot = spread(hashes[group]) & (slots.length - 1);
        while (slots[slot] != 0) {
          slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = group + 1;
      }
    }

    private static int spread(int hash) {
      return hash ^ (hash >>> 16);
    }

    /** All groups, in the order of their hashes. */
    int[] byHash() {
      long[] order = new long[count];
      for (int group = 0; group < count; group++) {
        order[group] = ((long) hashes[group] << Integer.SIZE) | group;
      }
      Arrays.sort(order);
      return Arrays.stream(order).mapToInt(each -> (int) each).toArray();
    }
  }
}
