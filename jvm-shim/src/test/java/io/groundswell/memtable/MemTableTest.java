package io.groundswell.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.key.InternalKey;
import io.groundswell.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MemTableTest {
  private final MemTable table = new MemTable(7);

  private static byte[] stem(int tableId, String key) {
    byte[] tail = key.getBytes(StandardCharsets.ISO_8859_1);
    byte[] stem = new byte[2 + tail.length];
    stem[0] = (byte) (tableId >>> 8);
    stem[1] = (byte) tableId;
    System.arraycopy(tail, 0, stem, 2, tail.length);
    return stem;
  }

  private int row(byte[] stem) {
    int row = table.find(stem, stem.length);
    return row >= 0 ? row : table.add(stem, stem.length);
  }

  private void put(int tableId, String key, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
    table.put(row(stem(tableId, key)), bytes, 0, bytes.length);
  }

  private List<String> read(MemTableCursor cursor) {
    List<String> rows = new ArrayList<>();
    for (; cursor.valid; cursor.next()) {
      assertEquals(7, InternalKey.epochOf(cursor.key, cursor.keyLength));
      rows.add(text(cursor));
    }
    return rows;
  }

  private static String text(MemTableCursor cursor) {
    String key = new String(cursor.key, 2, cursor.keyLength - 10, StandardCharsets.ISO_8859_1);
    return cursor.delete ? "-" + key
                         : key + "="
            + new String(
                cursor.value, cursor.valueOffset, cursor.valueLength, StandardCharsets.ISO_8859_1);
  }

  @Test
  void deleteOfAKeyThatIsNowhereBelowLeavesNothing() {
    int row = row(stem(0, "a"));
    table.learn(row, false);
    table.put(row, new byte[] {1}, 0, 1);
    assertEquals(1, table.liveDelta(0));
    table.delete(row);
    assertEquals(MemTable.NOTHING, table.own(row));
    assertEquals(0, table.liveDelta(0));
    assertEquals(0, table.writtenRows());
  }

  @Test
  void deleteOfAKeyBelowCountsOnce() {
    int row = row(stem(0, "a"));
    table.learn(row, true);
    table.delete(row);
    table.delete(row);
    assertEquals(-1, table.liveDelta(0));
    table.put(row, new byte[0], 0, 0);
    assertEquals(0, table.liveDelta(0));
  }

  @Test
  void aSeekWithAnOlderEpochPassesTheRow() {
    put(0, "a", "1");
    put(0, "b", "2");
    byte[] target = Arrays.copyOf(stem(0, "a"), 3 + 8);
    MemTableCursor cursor = table.cursor(0);
    InternalKey.putEpoch(target, 3, 7);
    cursor.seek(target, target.length);
    assertEquals("a=1", text(cursor));
    InternalKey.putEpoch(target, 3, 6);
    cursor.seek(target, target.length);
    assertEquals("b=2", text(cursor));
  }

  @Test
  void aValueSliceSurvivesOverwriteAndGarbageCollection() {
    put(0, "a", "first");
    int row = row(stem(0, "a"));
    byte[] bytes = table.valueBytes(row);
    int offset = table.valueOffset(row);
    long most = 0;
    byte[] big = new byte[10_000];
    for (int i = 0; i < 2_000; i++) {
      big[0] = (byte) i;
      table.put(row, big, 0, big.length);
      most = Math.max(most, table.memoryBytes());
    }
    assertEquals("first", new String(bytes, offset, 5, StandardCharsets.ISO_8859_1));
    assertTrue(most < 2 << 20, "20 MB were written to one key, and held " + most);
    assertEquals(10_000, table.valueLength(row));
    assertEquals(big[0], table.valueBytes(row)[table.valueOffset(row)]);
  }

  @Test
  void aDroppedTableShowsInOldCursorsOnly() {
    put(3, "a", "1");
    MemTableCursor before = table.cursor(3);
    table.drop(3);
    before.seekToFirst();
    assertEquals(List.of("a=1"), read(before));
    assertEquals(0, table.tableIds().length);
    assertEquals(0, table.writtenRows());
  }

  @Test
  void anUndoLogEndsWithTheLastCursor() {
    put(0, "a", "1");
    MemTableCursor cursor = table.cursor(0);
    put(0, "new", "1");
    assertEquals(0, table.undo().memoryBytes(), "no cursor knows the new row");
    put(0, "a", "2");
    assertTrue(table.undo().memoryBytes() > 0);
    cursor.close();
    cursor.close();
    assertEquals(0, table.undo().memoryBytes());
    assertFalse(cursor.valid);
  }

  /** A cursor with what it has to show. */
  private record Watch(MemTableCursor cursor, Iterator<String> expected) {}

  @Test
  void behavesLikeASortedMapAlsoForCursorsOpenedEarlier() {
    Seeds.each(30, MemTableTest::randomRun);
  }

  private static void randomRun(Random random) {
    MemTableTest test = new MemTableTest();
    List<TreeMap<String, String>> model = List.of(new TreeMap<>(), new TreeMap<>());
    List<Watch> watches = new ArrayList<>();
    int keys = 1 + random.nextInt(5_000);
    int steps = 4_000;
    int scanEvery = 1 + random.nextInt(500);
    for (int step = 0; step < steps; step++) {
      int tableId = random.nextInt(2);
      String key = Integer.toString(random.nextInt(keys), 36) + (random.nextBoolean() ? "\0" : "");
      byte[] stem = stem(tableId, key);
      if (random.nextInt(4) > 0) {
        String value = random.nextInt(50) == 0 ? "v".repeat(random.nextInt(80_000)) : "v" + step;
        test.put(tableId, key, value);
        model.get(tableId).put(key, key + "=" + value);
      } else {
        test.table.delete(test.row(stem));
        model.get(tableId).put(key, "-" + key);
      }
      int row = test.table.find(stem, stem.length);
      String expected = model.get(tableId).get(key);
      String own = test.table.own(row) == MemTable.DELETE ? "-" + key
                                                          : key + "="
              + new String(test.table.valueBytes(row), test.table.valueOffset(row),
                  test.table.valueLength(row), StandardCharsets.ISO_8859_1);
      assertEquals(expected, own);
      if (random.nextInt(scanEvery) == 0 && test.table.cursor(tableId) != null) {
        watches.add(watch(test.table.cursor(tableId), model.get(tableId), random, tableId));
      }
      for (int i = watches.size() - 1; i >= 0; i--) {
        if (random.nextInt(10) == 0 && !advance(watches.get(i), random.nextInt(200))) {
          watches.remove(i).cursor.close();
        }
      }
    }
    watches.forEach(watch -> advance(watch, Integer.MAX_VALUE));
    for (int id : test.table.tableIds()) {
      MemTableCursor all = test.table.cursor(id);
      all.seekToFirst();
      assertArrayEquals(model.get(id).values().toArray(), test.read(all).toArray());
    }
  }

  private static Watch watch(
      MemTableCursor cursor, TreeMap<String, String> model, Random random, int tableId) {
    String from = random.nextBoolean() ? "" : Integer.toString(random.nextInt(5_000), 36);
    Map<String, String> tail = new TreeMap<>(model.tailMap(from, true));
    if (from.isEmpty()) {
      cursor.seekToFirst();
    } else {
      byte[] target = Arrays.copyOf(stem(tableId, from), 2 + from.length() + 8);
      cursor.seek(target, target.length);
    }
    return new Watch(cursor, tail.values().iterator());
  }

  private static boolean advance(Watch watch, int steps) {
    for (int i = 0; i < steps; i++) {
      assertEquals(watch.expected.hasNext(), watch.cursor.valid);
      if (!watch.cursor.valid) {
        return false;
      }
      assertEquals(watch.expected.next(), text(watch.cursor));
      watch.cursor.next();
    }
    return true;
  }
}
