package io.groundswell.spark.store.provider;

import io.groundswell.engine.ChangeRows;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.store.encoding.ValueList;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Logs each write of a batch, in the order of the writes, if {@link Setting#LOG_EVERY_WRITE} is on.
 * Spark's change feed reads the log: a version itself does not show what was put and removed again
 * within its batch. No option of RocksDB turns the log on, for it costs about half as many bytes
 * again.
 *
 * <p>The log of a family is a table of its own, under (version, number). Each version's watermark
 * drops the steps of the versions below. So they cost no tombstones, and the next compaction
 * removes them.
 */
final class StepLog {
  enum Kind { PUT, DELETE, MERGE }

  /**
   * One write.
   *
   * @param key the encoded key
   * @param value the row written; null for a delete
   */
  record Step(Kind kind, Slice key, UnsafeRow value) {}

  private static final String TABLE_PREFIX = "$steps_";
  private static final int HEAD = 2 * Integer.BYTES;

  private final Transaction transaction;
  private final long version;
  private final Map<String, TableSpec> tables = new HashMap<>();
  private final ByteBuffer position = ByteBuffer.allocate(2 * Long.BYTES);
  private final ValueList list = new ValueList();
  private byte[] step = new byte[256];
  private long number;

  StepLog(Transaction transaction) {
    this.transaction = transaction;
    this.version = transaction.baseVersion() + 1;
  }

  /** The family was dropped with its steps. */
  void forget(String family) {
    tables.remove(family);
  }

  static String tableOf(String family) {
    return TABLE_PREFIX + family;
  }

  static boolean holdsSteps(TableSpec table) {
    return table.name().startsWith(TABLE_PREFIX) && !table.counted();
  }

  /** The key that {@code family.keys} has encoded gets these values instead of those it had. */
  void replaced(Family family, UnsafeRow... values) {
    Kind kind = Kind.PUT;
    for (UnsafeRow value : values) {
      add(family, kind, value);
      kind = Kind.MERGE;
    }
  }

  /** The key that {@code family.keys} has encoded gets these values, too. */
  void appended(Family family, UnsafeRow... values) {
    for (UnsafeRow value : values) {
      add(family, Kind.MERGE, value);
    }
  }

  /** The key is removed, if it was there. */
  void removed(Family family, int hash, byte[] key, int offset, int length) {
    list.clear();
    add(family, Kind.DELETE, hash, key, offset, length);
  }

  private void add(Family family, Kind kind, UnsafeRow value) {
    list.clear();
    list.add(value, family.rows.schemaId());
    add(family, kind, family.keys.hash, family.keys.bytes, family.keys.offset, family.keys.length);
  }

  /** Kind and length of the key, the row as a list of one, the key: so that the row is aligned. */
  private void add(Family family, Kind kind, int hash, byte[] key, int offset, int length) {
    int size = HEAD + list.length + length;
    if (step.length < size) {
      step = new byte[2 * size];
    }
    ByteBuffer.wrap(step)
        .putInt(kind.ordinal())
        .putInt(length)
        .put(list.bytes, 0, list.length)
        .put(key, offset, length);
    position.putLong(0, version).putLong(Long.BYTES, number++);
    transaction.insert(
        table(family), hash, position.array(), 0, position.capacity(), step, 0, size);
  }

  private TableSpec table(Family family) {
    return tables.computeIfAbsent(family.spec.name(), name -> {
      TableSpec table = transaction.createTable(tableOf(name), TableSpec.Layout.ORDERED, false);
      transaction.watermark(table, ByteBuffer.allocate(Long.BYTES).putLong(version).array());
      return table;
    });
  }

  /** The steps in the rows of a version; each is there until the next is asked for. */
  static Iterator<Step> steps(ChangeRows rows, Family family) {
    return new Iterator<>() {
      private boolean found = rows.next();

      @Override
      public boolean hasNext() {
        return found;
      }

      @Override
      public Step next() {
        Step next = read(rows.value(), family);
        found = rows.next();
        return next;
      }
    };
  }

  private static Step read(Slice value, Family family) {
    byte[] bytes = new byte[value.length]; // the row outlives the cursor's step
    System.arraycopy(value.bytes, value.offset, bytes, 0, value.length);
    ByteBuffer head = ByteBuffer.wrap(bytes);
    Kind kind = Kind.values()[head.getInt()];
    Slice key = new Slice();
    int length = head.getInt();
    key.set(bytes, bytes.length - length, length);
    if (kind == Kind.DELETE) {
      return new Step(kind, key, null);
    }
    Slice rows = new Slice();
    rows.set(bytes, HEAD, bytes.length - HEAD - length);
    return new Step(kind, key, ValueList.first(rows, family.rows));
  }
}
