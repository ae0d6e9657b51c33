package io.groundswell.spark.views.operator.join;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.storage.Mark;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * The rows of one side of a join. Table, by the hash of the join key: length of the join key (4
 * bytes) | join key | stream key → row, then, where matches are counted, their number (4 bytes). So
 * the rows of a join key stand together, and the filter of a file tells whether it has any. Of an
 * interval join, keys begin with the time bucket that the row is in, see {@link TimeBuckets}.
 */
public final class JoinSide {
  private final StateTable table;
  private final UnsafeRow row;
  private final UnsafeRow streamKey;
  private final boolean counting;
  private final TimeBound time;
  private final TimeBuckets buckets;
  private final ByteWriter scratch = new ByteWriter();
  private final ByteWriter entry = new ByteWriter();
  private RowCursor cursor;
  private UnsafeRow joinKey;
  private long[] ahead = {};
  private int bucket;
  private boolean unwritten;
  private int hash;
  private int prefix;
  private int matches;

  /**
   * A key of no columns is a row of one, see {@link Projections#key}.
   *
   * @param counting whether a row is followed by its number of matches
   * @param time of the join key, which keys then begin with; null: rows are for ever
   */
  public JoinSide(Transaction tx, String name, int columns, int keyColumns, boolean counting,
      TimeBound time, OperatorCounters counters) {
    this(tx, name, columns, keyColumns, counting, time, null, counters);
  }

  /**
   * @param buckets how the side is cut in time; null: it is not
   */
  public JoinSide(Transaction tx, String name, int columns, int keyColumns, boolean counting,
      TimeBound time, TimeBuckets buckets, OperatorCounters counters) {
    this.time = time;
    this.buckets = buckets;
    this.counting = counting;
    this.table = StateTable.hashed(tx, name, counters);
    if (time != null) {
      time.clean(table);
    }
    if (buckets != null) {
      buckets.clean(table);
    }
    this.row = new UnsafeRow(columns);
    this.streamKey = new UnsafeRow(Math.max(1, keyColumns));
  }

  /** Starts to read the rows of a join key as they are now; later changes do not disturb it. */
  public void open(int hash, UnsafeRow joinKey) {
    open(hash, joinKey, List.of(), false);
  }

  /**
   * The same, where the barrier has written no row of the join key so far; and only rows that
   * changed ones of the other side can match.
   */
  void openBefore(int hash, UnsafeRow joinKey, List<ChangeBuffer.Change> others) {
    open(hash, joinKey, others, true);
  }

  private void open(
      int hash, UnsafeRow joinKey, List<ChangeBuffer.Change> others, boolean unwritten) {
    this.unwritten = unwritten;
    this.hash = hash;
    this.joinKey = joinKey;
    ahead = buckets == null ? new long[1] : buckets.around(others);
    bucket = 0;
    cursor = null;
  }

  /** Goes on to the next time bucket; false at the end. */
  private boolean enter() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
    if (bucket == ahead.length) {
      return false;
    }
    begin(joinKey, ahead[bucket++]);
    prefix = scratch.length;
    cursor = unwritten ? table.prefixBefore(hash, scratch.bytes, scratch.length)
                       : table.prefix(hash, scratch.bytes, scratch.length);
    return true;
  }

  /** Steps to the next row that {@code changed} does not name; at the end, closes. */
  public boolean next(ChangeBuffer changed) {
    while (read()) {
      if (!changed.isEmpty()) {
        Slice key = cursor.key();
        streamKey.pointTo(
            key.bytes, Platform.BYTE_ARRAY_OFFSET + key.offset + prefix, key.length - prefix);
        ChangeBuffer.Change change = changed.get(streamKey);
        if (change != null && !change.isNone()) {
          continue;
        }
      }
      Slice value = cursor.value();
      if (counting) {
        value.length -= Integer.BYTES;
        matches = ByteBuffer.wrap(value.bytes).getInt(value.offset + value.length);
      }
      StateTable.point(row, value);
      return true;
    }
    return false;
  }

  private boolean read() {
    while (cursor == null || !table.read(cursor)) {
      if (!enter()) {
        return false;
      }
    }
    return true;
  }

  /** Ends the reading, at its end or before. */
  void close() {
    bucket = ahead.length;
    enter();
  }

  /** How many matches the row read last has. */
  int matches() {
    return matches;
  }

  /** Says how many matches the row read last has from now on. */
  void setMatches(int count) {
    Slice key = cursor.key();
    count(row, count);
    table.replace(hash, key.bytes, key.offset, key.length, entry.bytes, entry.length);
  }

  /** The row read last; reused. */
  public UnsafeRow row() {
    return row;
  }

  /**
   * Applies a barrier's changes under one join key.
   *
   * @param counts matches of the inserted rows, by position among the net changes; null: not kept
   */
  public void apply(int hash, UnsafeRow joinKey, ChangeBuffer changes, int[] counts) {
    int at = 0;
    for (ChangeBuffer.Change change : changes.changes()) {
      if (change.isNone()) {
        continue;
      }
      UnsafeRow streamKey = change.key();
      UnsafeRow before = change.before();
      UnsafeRow after = change.after();
      boolean moves = buckets != null && before != null && after != null
          && buckets.of(before) != buckets.of(after);
      Mark.ROW_MOVES_IN_TIME.hitIf(moves);
      if (after == null || moves) {
        key(joinKey, before, streamKey);
        table.remove(hash, scratch.bytes, scratch.length);
      }
      if (after != null) {
        key(joinKey, after, streamKey);
        write(hash, before == null || moves, after, counts == null ? 0 : counts[at]);
      }
      at++;
    }
  }

  /**
   * Writes a row under the key in {@code scratch}; nothing is read, for it is known if one is
   * there.
   */
  private void write(int hash, boolean isNew, UnsafeRow row, int count) {
    byte[] bytes = StateTable.bytes(row);
    int offset = StateTable.offset(row);
    int length = row.getSizeInBytes();
    if (counting) {
      count(row, count);
      bytes = entry.bytes;
      offset = 0;
      length = entry.length;
    }
    if (isNew) {
      table.insert(hash, scratch.bytes, scratch.length, bytes, offset, length);
    } else {
      table.replace(hash, scratch.bytes, scratch.length, bytes, offset, length);
    }
  }

  /** Adds new rows under one join key; {@code keys} are their stream keys. */
  void insert(int hash, UnsafeRow joinKey, List<ChangeBuffer.Change> rows, RowKeys keys) {
    for (ChangeBuffer.Change row : rows) {
      key(joinKey, row.after(), keys.of(row.after()));
      write(hash, true, row.after(), 0);
    }
  }

  /** Puts a row and its number of matches into {@code entry}. */
  private void count(UnsafeRow value, int count) {
    entry.clear();
    entry.putBytes(StateTable.bytes(value), StateTable.offset(value), value.getSizeInBytes());
    entry.putInt(count);
  }

  /** Puts the key of a row into {@code scratch}. */
  private void key(UnsafeRow joinKey, UnsafeRow of, UnsafeRow streamKey) {
    begin(joinKey, buckets == null ? 0 : buckets.of(of));
    append(streamKey);
  }

  private void begin(UnsafeRow joinKey, long at) {
    scratch.clear();
    if (time != null) {
      time.write(joinKey, scratch);
    }
    if (buckets != null) {
      scratch.putLong(at ^ Long.MIN_VALUE);
    }
    scratch.putInt(joinKey.getSizeInBytes());
    append(joinKey);
  }

  private void append(UnsafeRow key) {
    scratch.putBytes(StateTable.bytes(key), StateTable.offset(key), key.getSizeInBytes());
  }
}
