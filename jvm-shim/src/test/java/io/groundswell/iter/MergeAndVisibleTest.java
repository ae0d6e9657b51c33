package io.groundswell.iter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.InternalKey;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Merge order, and what an epoch sees, against maps. */
class MergeAndVisibleTest {
  private static final TableSpec HASHED = new TableSpec(1, "h", TableSpec.Layout.HASHED, false);
  private static final TableSpec ORDERED = new TableSpec(2, "o", TableSpec.Layout.ORDERED, false);

  private static byte[] key(TableSpec table, int hash, byte[] user, long epoch) {
    byte[] key = new byte[InternalKey.encodedLength(user.length)];
    InternalKey.encode(table, hash, user, 0, user.length, epoch, key, 0);
    return key;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** A history of writes, spread over sources by age as sub-levels are. */
  private static final class History {
    final List<List<ArrayCursor.Entry>> newestFirst = new ArrayList<>();
    final TreeMap<byte[], byte[]> entries =
        new TreeMap<>((a, b) -> InternalKey.compare(a, a.length, b, b.length));

    History(Random random) {
      int sources = 1 + random.nextInt(6);
      for (int s = 0; s < sources; s++) {
        newestFirst.add(0, new ArrayList<>());
        for (int i = random.nextInt(20); i > 0; i--) {
          TableSpec table = random.nextBoolean() ? HASHED : ORDERED;
          byte[] user = new byte[table == ORDERED ? 2 : random.nextInt(3)];
          for (int k = 0; k < user.length; k++) {
            user[k] = (byte) (random.nextInt(4) * 85);
          }
          int hash = table == ORDERED ? Arrays.hashCode(user) * -77777 : random.nextInt(3) - 1;
          byte[] value = random.nextInt(3) == 0 ? null : new byte[] {(byte) random.nextInt()};
          byte[] key = key(table, hash, user, 10 * s + random.nextInt(10));
          if (entries.putIfAbsent(key, value == null ? new byte[0] : value) == null) {
            newestFirst.get(0).add(new ArrayCursor.Entry(key, value));
          }
        }
      }
    }

    MergeCursor merge() {
      return new MergeCursor(
          newestFirst.stream().map(ArrayCursor::new).toArray(EntryCursor[] ::new));
    }

    /** Rows of a range at an epoch, the slow way. */
    List<String> rows(KeyRange range, long epoch) {
      TreeMap<String, String> visible = new TreeMap<>();
      for (Map.Entry<byte[], byte[]> entry : entries.descendingMap().entrySet()) {
        byte[] key = entry.getKey();
        boolean inRange = range.startsWithPrefix(key, key.length)
            && (range.lower() == null || range.compareUserKey(key, key.length, range.lower()) >= 0)
            && (range.upper() == null || range.compareUserKey(key, key.length, range.upper()) < 0);
        if (inRange && InternalKey.epochOf(key, key.length) <= epoch) {
          String stem = hex(Arrays.copyOf(key, key.length - 8));
          if (entry.getValue().length == 0) {
            visible.remove(stem);
          } else {
            visible.put(stem, InternalKey.epochOf(key, key.length) + hex(entry.getValue()));
          }
        }
      }
      List<String> rows = new ArrayList<>();
      visible.forEach((stem, row) -> rows.add(stem + " " + row));
      return rows;
    }
  }

  @Test
  void mergeIsTheSortedUnionFromAnyStart() {
    Seeds.each(500, random -> {
      History history = new History(random);
      MergeCursor merge = history.merge();
      merge.seekToFirst();
      expect(merge, history.entries.keySet());
      byte[] target = key(HASHED, random.nextInt(3) - 1, new byte[] {85}, random.nextInt(60));
      merge.seek(target, target.length);
      expect(merge, history.entries.tailMap(target).keySet());
    });
  }

  private static void expect(MergeCursor merge, Iterable<byte[]> keys) {
    for (byte[] key : keys) {
      assertTrue(merge.valid);
      assertEquals(hex(key), hex(Arrays.copyOf(merge.key, merge.keyLength)));
      merge.next();
    }
    assertFalse(merge.valid);
  }

  @Test
  void ofEqualKeysTheNewerSourceComesFirst() {
    byte[] key = key(HASHED, 1, new byte[] {1}, 5);
    EntryCursor[] sources = new EntryCursor[5];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = new ArrayCursor(List.of(new ArrayCursor.Entry(key, new byte[] {(byte) i})));
    }
    MergeCursor merge = new MergeCursor(sources);
    merge.seekToFirst();
    for (int i = 0; i < sources.length; i++) {
      assertEquals(i, merge.value[merge.valueOffset]);
      merge.next();
    }
    assertFalse(merge.valid);
    VisibleCursor visible = new VisibleCursor(new MergeCursor(sources), KeyRange.table(HASHED), 9);
    assertTrue(visible.next());
    assertEquals(0, visible.value[visible.valueOffset]);
    assertFalse(visible.next());
  }

  @Test
  void anEpochSeesTheNewestVersionsOfTheRangeAndNoDeletes() {
    Seeds.each(1000, random -> {
      History history = new History(random);
      KeyRange range = randomRange(random);
      long epoch = random.nextInt(70);
      List<String> got = new ArrayList<>();
      VisibleCursor rows = new VisibleCursor(history.merge(), range, epoch);
      while (rows.next()) {
        got.add(hex(Arrays.copyOf(rows.key, rows.keyLength - 8)) + " " + rows.rowEpoch()
            + hex(Arrays.copyOfRange(
                rows.value, rows.valueOffset, rows.valueOffset + rows.valueLength)));
      }
      assertEquals(history.rows(range, epoch), got);
      assertFalse(rows.next());
    });
  }

  private static KeyRange randomRange(Random random) {
    byte[] x = new byte[random.nextInt(4)];
    byte[] y = new byte[random.nextInt(4)];
    for (byte[] bytes : new byte[][] {x, y}) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (random.nextInt(4) * 85);
      }
    }
    TableSpec table = random.nextBoolean() ? HASHED : ORDERED;
    return switch (random.nextInt(3)) {
      case 0 -> KeyRange.table(table);
      case 1 -> KeyRange.prefix(table, random.nextInt(3) - 1, x, 0, Math.min(2, x.length));
      default ->
        KeyRange.ordered(
            ORDERED, random.nextInt(3) == 0 ? null : x, random.nextInt(3) == 0 ? null : y);
    };
  }
}
