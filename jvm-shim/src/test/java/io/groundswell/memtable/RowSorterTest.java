package io.groundswell.memtable;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.groundswell.testing.Seeds;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RowSorterTest {
  @Test
  void sortsAsBytesCompare() {
    Seeds.each(50, RowSorterTest::randomRun);
  }

  private static void randomRun(Random random) {
    RowStore store = new RowStore();
    int count = random.nextInt(3_000);
    int fixed = random.nextInt(9); // leading bytes that most keys share
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = new byte[14];
      random.nextBytes(keys[i]);
      if (random.nextInt(100) > 0) {
        Arrays.fill(keys[i], 0, 2 + fixed, (byte) 0x80);
      }
      keys[i][0] = 0;
      keys[i][1] = 0;
      store.add(keys[i], 14);
    }
    int[] rows = IntStream.range(0, count).toArray();
    long[] prefixes = new long[count];
    for (int i = 0; i < count; i++) {
      prefixes[i] = RowSorter.bigEndian(keys[i], 2);
    }
    new RowSorter(store).sort(prefixes, rows);
    byte[][] expected = keys.clone();
    Arrays.sort(expected, Arrays::compareUnsigned);
    assertArrayEquals(expected, IntStream.of(rows).mapToObj(row -> keys[row]).toArray());
    for (int i = 0; i < count; i++) {
      assertArrayEquals(Arrays.copyOfRange(keys[rows[i]], 2, 10),
          java.nio.ByteBuffer.allocate(8).putLong(prefixes[i]).array());
    }
  }
}
