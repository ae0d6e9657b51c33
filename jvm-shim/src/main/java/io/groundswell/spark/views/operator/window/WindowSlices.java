package io.groundswell.spark.views.operator.window;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Partitions of which only the neighbourhood of changed rows is read, as far as {@link WindowReach}
 * says: O(changes), however long the partition.
 *
 * <p>Tables, by the hash of the partition: {@code rows}: {@link WindowKeys} → row; {@code back}:
 * the same keys the other way round, without values, to find the rows before a place.
 */
final class WindowSlices implements WindowState {
  private static final byte[] NOTHING = {};

  /** To step over so many rows costs about as much as to seek. */
  private static final int NEAR = 64;

  private final StateTable rows;
  private final StateTable back;
  private final int width;
  private final WindowKeys keys;
  private final WindowReach reach;

  WindowSlices(
      Transaction tx, int width, WindowKeys keys, WindowReach reach, OperatorCounters counters) {
    this.rows = StateTable.hashed(tx, "rows", counters);
    this.back = StateTable.bundled(tx, "back", counters);
    this.width = width;
    this.keys = keys;
    this.reach = reach;
    keys.clean(rows);
    keys.clean(back);
  }

  @Override
  public List<Slice> change(int hash, UnsafeRow partition, ChangeBuffer changes) {
    Edit edit = new Edit(hash, partition, changes);
    List<Slice> slices = new ArrayList<>();
    byte[] first = edit.places.isEmpty() ? null : edit.places.firstKey();
    for (byte[] place = first; place != null;) {
      place = edit.read(edit.start(place), place, slices);
    }
    edit.write();
    return slices;
  }

  /** The changes of one partition. */
  private final class Edit {
    private final int hash;
    private final int prefixLength;

    /** What is to be at changed places; null: no row any more. */
    private final TreeMap<byte[], UnsafeRow> places = new TreeMap<>(Arrays::compareUnsigned);

    private final TreeSet<byte[]> taken = new TreeSet<>(Arrays::compareUnsigned);

    Edit(int hash, UnsafeRow partition, ChangeBuffer changes) {
      this.hash = hash;
      this.prefixLength = keys.prefix(partition).length;
      for (ChangeBuffer.Change change : changes.net()) {
        if (change.before() != null) {
          byte[] place = keys.of(partition, change.before());
          taken.add(place);
          places.putIfAbsent(place, null);
        }
        if (change.after() != null) {
          places.put(keys.of(partition, change.after()), change.after());
        }
      }
    }

    /** The key of the first row that is needed before a place; the place itself if none is. */
    byte[] start(byte[] place) {
      byte[] start = place;
      WindowReach.Walk walk = reach.backward();
      byte[] from = WindowKeys.inverted(place, prefixLength);
      UnsafeRow row = new UnsafeRow(width);
      try (RowCursor cursor = back.prefixFrom(hash, from, from.length, prefixLength)) {
        while (!walk.isOver() && back.read(cursor)) {
          byte[] key = WindowKeys.inverted(cursor.key().copy(), prefixLength);
          if (Arrays.equals(key, place)) {
            continue;
          }
          if (reach.looksAtRows()) {
            StateTable.point(row, rows.get(hash, key, key.length));
          }
          walk.pass(row);
          start = key;
        }
      }
      return start;
    }

    /** Adds a slice; gives the next place that is too far from it, or null. */
    byte[] read(byte[] from, byte[] first, List<Slice> slices) {
      TreeMap<byte[], UnsafeRow> before = new TreeMap<>(Arrays::compareUnsigned);
      byte[] place = first;
      WindowReach.Walk walk = null;
      int beyond = 0;
      boolean isEnd = true;
      try (RowCursor cursor = rows.prefixFrom(hash, from, from.length, prefixLength)) {
        while (rows.read(cursor)) {
          byte[] key = cursor.key().copy();
          UnsafeRow row = new UnsafeRow(width);
          StateTable.point(row, cursor.value());
          boolean isPlace = false;
          while (place != null && Arrays.compareUnsigned(place, key) <= 0) {
            isPlace = Arrays.equals(place, key);
            place = places.higherKey(place);
            walk = reach.forward();
            beyond = 0;
          }
          if (walk != null && !isPlace) {
            if (!walk.isOver()) {
              walk.pass(row);
            } else if (place == null || ++beyond > NEAR) {
              Mark.SLICE_ENDS_EARLY.hitIf(place != null);
              isEnd = false;
              break;
            }
          }
          before.put(key, row);
        }
      }
      Mark.SLICE_TAKES_THE_NEXT.hitIf(place != places.higherKey(first));
      byte[] next = isEnd ? null : place;
      TreeMap<byte[], UnsafeRow> after = new TreeMap<>(before);
      Map<byte[], UnsafeRow> here =
          next == null ? places.tailMap(first) : places.subMap(first, next);
      here.forEach((key, row) -> {
        if (row == null) {
          after.remove(key);
        } else {
          after.put(key, row);
        }
      });
      slices.add(new Slice(new ArrayList<>(before.values()), new ArrayList<>(after.values())));
      return next;
    }

    void write() {
      places.forEach((key, row) -> {
        byte[] inverted = WindowKeys.inverted(key, prefixLength);
        if (row == null) {
          rows.delete(hash, key, key.length);
          back.delete(hash, inverted, inverted.length);
          return;
        }
        rows.put(hash, key, key.length, row);
        if (!taken.contains(key)) {
          back.insert(hash, inverted, inverted.length, NOTHING, 0, 0);
        }
      });
    }
  }
}
