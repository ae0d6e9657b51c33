package io.groundswell.spark.views.operator.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.memtable.MemoryBudget;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext$;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

/** Sums of weights by key and input, in as many passes as it takes. */
class PassesTest {
  private static final int ROW = 100;

  private int made;
  private int most;
  private Object last; // what the last pass gives

  private final class Sums implements Passes.Collector {
    private final UnsafeProjection values =
        UnsafeProjection.create(new DataType[] {DataTypes.LongType});
    private final Map<List<Long>, Integer> sums =
        new TreeMap<>((a, b)
                          -> a.get(0).equals(b.get(0)) ? a.get(1).compareTo(b.get(1))
                                                       : a.get(0).compareTo(b.get(0)));

    Sums() {
      made++;
    }

    @Override
    public long add(int input, InternalRow row) {
      sums.merge(List.of(row.getLong(0), (long) input), row.getInt(1), Integer::sum);
      most = Math.max(most, sums.size());
      return ROW;
    }

    @Override
    public void move(int input, InternalRow row, Passes.Target parts) {
      UnsafeRow value = values.apply(row);
      parts.add(input, Long.hashCode(row.getLong(0)), row.getInt(1), value);
    }

    @Override
    public void moveAll(Passes.Target parts) {
      sums.forEach((key, sum)
                       -> parts.add(key.get(1).intValue(), Long.hashCode(key.get(0)), sum,
                           values.apply(new GenericInternalRow(new Object[] {key.get(0)}))));
      sums.clear();
    }

    @Override
    public Iterator<InternalRow> changes() {
      List<InternalRow> rows = new ArrayList<>();
      sums.forEach(
          (key,
              sum) -> rows.add(new GenericInternalRow(new Object[] {key.get(0), key.get(1), sum})));
      last = rows;
      return rows.iterator();
    }
  }

  private Map<String, Integer> sums(long budget, List<List<InternalRow>> inputs) {
    OperatorCounters counters = new OperatorCounters();
    MemoryBudget memory = new MemoryBudget(budget);
    Map<String, Integer> found = new TreeMap<>();
    Iterator<InternalRow> rows = Passes.over(inputs.stream().map(List::iterator).toList(),
        Sums::new, new int[] {1, 1}, memory, counters);
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      String key = row.getLong(0) + " " + row.getLong(1);
      assertEquals(null, found.put(key, row.getInt(2)), "each key is in one pass");
    }
    assertEquals(0, memory.used(), "what was held is given back");
    assertEquals(inputs.stream().mapToInt(List::size).sum(), counters.rowsIn);
    return found;
  }

  private static List<List<InternalRow>> inputs(int keys, int rows) {
    List<List<InternalRow>> inputs = List.of(new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < rows; i++) {
      inputs.get(i % 2).add(new GenericInternalRow(new Object[] {(long) (i % keys), i % 3 + 1}));
    }
    return inputs;
  }

  @Test
  void whatFitsIsOnePass() {
    sums(1 << 20, inputs(7, 50));
    assertEquals(1, made);
  }

  @Test
  @Reaches(Mark.BARRIER_IN_PASSES)
  void largerInputsTakeSeveralPassesAndGiveTheSame() {
    List<List<InternalRow>> inputs = inputs(5001, 40_000);
    Map<String, Integer> expected = sums(1L << 40, inputs);
    int all = most;
    made = 0;
    most = 0;
    assertEquals(expected, sums(200_000, inputs));
    assertTrue(made > KeyParts.PARTS, made + " passes");
    assertTrue(most < all / 4, most + " keys at once, of " + all);
  }

  @Test
  @Reaches({Mark.PASS_CUT_AGAIN, Mark.PASS_OF_FEW_KEYS})
  void aKeyThatIsTooLargeAloneIsHeldAllTheSame() {
    List<List<InternalRow>> inputs = inputs(1, 5_000);
    assertEquals(sums(1L << 40, inputs), sums(1_000, inputs));
  }

  @Test
  void oneInputWithoutRowsIsFine() {
    List<List<InternalRow>> one = List.of(inputs(9, 4_000).get(0), List.of());
    assertEquals(sums(1L << 40, one), sums(1, one));
  }

  @Test
  void aTaskThatGoesOnDoesNotKeepWhatItsPassesHeld() {
    TaskContext$.MODULE$.setTaskContext(TaskContext$.MODULE$.empty());
    try {
      sums(200_000, inputs(5001, 40_000));
      WeakReference<Object> held = new WeakReference<>(last);
      last = null;
      for (int i = 0; i < 50 && held.get() != null; i++) {
        System.gc();
      }
      assertTrue(held.get() == null, "the last pass is still there");
    } finally {
      TaskContext$.MODULE$.unset();
    }
  }
}
