package io.groundswell.spark.views.operator.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.Test;

class RowMapTest {
  private static final class Count extends RowMap.Entry {
    int count;
  }

  private static UnsafeRow row(long... values) {
    UnsafeRow row = new UnsafeRow(values.length);
    int size = UnsafeRow.calculateBitSetWidthInBytes(values.length) + 8 * values.length;
    row.pointTo(new byte[size], size);
    for (int i = 0; i < values.length; i++) {
      row.setLong(i, values[i]);
    }
    return row;
  }

  @Test
  void anEmptyMapFindsNothing() {
    RowMap<Count> map = new RowMap<>();
    assertNull(map.get(row(1)));
    assertTrue(map.isEmpty());
  }

  @Test
  void aKeyIsCopied() {
    RowMap<Count> map = new RowMap<>();
    UnsafeRow key = row(1);
    Count entry = map.getOrAdd(key, Count::new);
    key.setLong(0, 2);
    assertNull(map.get(key));
    assertSame(entry, map.get(row(1)));
    assertEquals(row(1), entry.key());
    assertNotSame(entry.key(), entry.key());
  }

  @Test
  void keysOfOtherLengthsAreOthers() {
    RowMap<Count> map = new RowMap<>();
    map.getOrAdd(row(0), Count::new);
    map.getOrAdd(row(0, 0), Count::new);
    map.getOrAdd(row(), Count::new);
    assertEquals(3, map.size());
    assertEquals(2, map.get(row(0, 0)).key().numFields());
  }

  /** Against a map of the standard library, from few keys, looked through one by one, to many. */
  @Test
  void countsAsAMapDoes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int keys : new int[] {1, 3, 6, 7, 8, 20, 1_000, 50_000}) {
      Map<UnsafeRow, Integer> expected = new LinkedHashMap<>();
      RowMap<Count> map = new RowMap<>();
      for (int i = 0; i < 3 * keys; i++) {
        // multiples of a power of two: hashes whose low bits are alike must not pile up
        UnsafeRow key = row((long) random.nextInt(keys) << 20, 7);
        expected.merge(key, 1, Integer::sum);
        map.getOrAdd(key, Count::new).count++;
      }
      String told = "seed " + seed + ", " + keys + " keys";
      assertEquals(expected.size(), map.size(), told);
      List<UnsafeRow> order = new ArrayList<>();
      map.forEach(entry -> order.add(entry.key()));
      assertEquals(new ArrayList<>(expected.keySet()), order, told);
      expected.forEach((key, count) -> assertEquals(count, map.get(key).count, told));
      assertNull(map.get(row(-1, 7)), told);
      map.clear();
      assertTrue(map.isEmpty() && map.get(order.get(0)) == null, told);
    }
  }
}
