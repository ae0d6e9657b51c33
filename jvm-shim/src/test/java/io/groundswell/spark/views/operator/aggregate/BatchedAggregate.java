package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.state.KeyIndex;
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

/**
 * What an aggregation would be that takes rows in batches: {@code count(*)} and three sums of
 * longs, and nothing else. Groups are numbers, their values stand in one array of longs, and the
 * output is encoded without generated code. It does what the operator does for these calls, so it
 * is the most that such a path can win.
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
    KeyIndex groups = new KeyIndex();
    long[] values = new long[VALUES * 1024];
    int weightAt = input.size();
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UnsafeRow of = keys.of(row);
      int hash = keys.hash(of);
      int found = groups.find(hash, of);
      int group = found < 0 ? groups.add(hash, of) : found;
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

  private void apply(Transaction tx, Projections code, KeyIndex groups, long[] values,
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
    for (int group = 0; group < groups.size(); group++) {
      int at = VALUES * group;
      int hash = groups.hash(group);
      groups.point(group, keyRow);
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
      table.put(hash, keyRow, state.bytes, 0, state.length);
      counters.rowsOut++;
      out.accept(joiner.join(keyRow, results));
    }
  }
}
