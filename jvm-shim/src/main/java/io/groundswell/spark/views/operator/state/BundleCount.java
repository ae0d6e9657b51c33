package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.views.operator.codec.ByteReader;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.OperatorCounters;

/**
 * How many rows a table of bundles has, which an engine that counts entries cannot know: one row of
 * a table beside it. Tells it to the operator's counters.
 */
public final class BundleCount {
  private static final byte[] KEY = {0};
  private static final String SUFFIX = "-count";

  private final Transaction tx;
  private final TableSpec table;
  private final OperatorCounters counters;
  private long rows;

  public BundleCount(Transaction tx, String name, OperatorCounters counters) {
    this.tx = tx;
    this.table = tx.createTable(name + SUFFIX, TableSpec.Layout.ORDERED, false);
    this.counters = counters;
    Slice found = new Slice();
    if (tx.get(table, 0, KEY, 0, KEY.length, found)) {
      ByteReader in = new ByteReader();
      in.set(found.bytes, found.offset);
      rows = in.getLong();
    }
    counters.bundledRows += rows;
  }

  /** Whether a table says how many rows another one has, which tells it again when it moves. */
  public static boolean isTable(String name) {
    return name.endsWith(SUFFIX);
  }

  /** Notes rows that were added. */
  public void add(long more) {
    rows += more;
    counters.bundledRows += more;
    ByteWriter value = new ByteWriter();
    value.putLong(rows);
    tx.put(table, 0, KEY, 0, KEY.length, value.bytes, 0, value.length);
  }
}
