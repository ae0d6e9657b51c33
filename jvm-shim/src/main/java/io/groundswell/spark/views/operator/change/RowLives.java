package io.groundswell.spark.views.operator.change;

import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeOrderedRows;
import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Until when the rows of a table live: so long after they were last written, by the barriers'
 * clock.
 *
 * <p>State: {@link TimeOrderedRows} without values, an entry a write; {@code written}: stream key →
 * time of the last write. Entries of earlier writes stay where they are and are passed over when
 * their time has come, so a write deletes nothing; the watermark ends them.
 */
final class RowLives {
  private final RowKeys keys;
  private final TimeOrderedRows writes;
  private final StateTable written;
  private final long clock;
  private final long bound;

  /** Rows that were last written at {@code clock - life} or before are dead. */
  RowLives(Transaction tx, RowKeys keys, long clock, long life, OperatorCounters counters) {
    this.keys = keys;
    this.writes = TimeOrderedRows.ofKeys(tx, keys.width(), counters);
    this.written = StateTable.bundled(tx, "written", counters);
    this.clock = clock;
    this.bound = clock - life;
  }

  /** Goes to the next key whose row is dead; false: there is no other, and their times are over. */
  boolean next() {
    while (writes.take(bound + 1)) {
      if (time(keys.hash(writes.key()), writes.key()) == writes.time()) {
        return true;
      }
    }
    writes.end();
    return false;
  }

  /** The key; reused. */
  UnsafeRow key() {
    return writes.key();
  }

  /** Its hash. */
  int hash() {
    return keys.hash(writes.key());
  }

  /** Whether the row of a key, which has one, is dead. */
  boolean isOver(int hash, UnsafeRow keyRow) {
    return time(hash, keyRow) <= bound;
  }

  void write(int hash, UnsafeRow keyRow) {
    writes.put(hash, clock, keyRow);
    byte[] time = ByteBuffer.allocate(Long.BYTES).putLong(clock).array();
    written.put(hash, keyRow, time, 0, time.length);
  }

  void delete(int hash, UnsafeRow keyRow) {
    written.delete(hash, keyRow);
  }

  private long time(int hash, UnsafeRow keyRow) {
    Slice found = written.get(hash, keyRow);
    return found == null ? Long.MAX_VALUE : ByteBuffer.wrap(found.bytes).getLong(found.offset);
  }
}
