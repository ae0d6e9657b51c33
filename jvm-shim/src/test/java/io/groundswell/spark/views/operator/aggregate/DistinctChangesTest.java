package io.groundswell.spark.views.operator.aggregate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.operator.Fixture;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.junit.jupiter.api.Test;

class DistinctChangesTest {
  private static final class Group implements ValueMultiset.Group {
    private final int hash;

    Group(int hash) {
      this.hash = hash;
    }

    @Override
    public int hash() {
      return hash;
    }

    @Override
    public UnsafeRow key() {
      throw new UnsupportedOperationException();
    }
  }

  /** Two groups of one hash, values of all lengths, many more than there is room for at first. */
  @Test
  void changesAreThoseOfAMap() {
    Random random = new Random(Fixture.seed("DistinctChangesTest"));
    List<Group> groups = List.of(new Group(1), new Group(1), new Group(random.nextInt()));
    DistinctChanges changes = new DistinctChanges(2);
    Map<String, long[]> expected = new HashMap<>();
    Map<String, Integer> slots = new HashMap<>();
    for (int n = 0; n < 20_000; n++) {
      int group = random.nextInt(groups.size());
      byte[] value = new byte[random.nextInt(12)];
      for (int i = 0; i < value.length; i++) {
        value[i] = (byte) random.nextInt(3);
      }
      int slot = changes.slot(groups.get(group), Arrays.copyOf(value, 16), value.length);
      String key = group + Arrays.toString(value);
      assertEquals(slots.computeIfAbsent(key, k -> slots.size()), slot);
      int count = random.nextInt(2);
      int weight = random.nextInt(3) - 1;
      changes.add(slot, count, weight);
      expected.computeIfAbsent(key, k -> new long[2])[count] += weight;
    }
    int[] order = changes.inOrder();
    assertArrayEquals(
        IntStream.range(0, slots.size()).toArray(), Arrays.stream(order).sorted().toArray());
    for (int i = 0; i < order.length; i++) {
      int slot = order[i];
      String key = groups.indexOf(changes.group(slot)) + Arrays.toString(changes.value(slot));
      long[] sums = expected.get(key);
      assertArrayEquals(sums, new long[] {changes.change(slot, 0), changes.change(slot, 1)});
      assertEquals(sums[0] == 0 && sums[1] == 0, changes.isNothing(slot));
      assertTrue(
          i == 0 || Integer.compareUnsigned(changes.hash(order[i - 1]), changes.hash(slot)) <= 0);
    }
  }
}
