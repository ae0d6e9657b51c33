package io.groundswell.spark.views.operator.window;

import static io.groundswell.spark.views.operator.Fixture.columns;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.rank.RankLimit;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is read of a partition for the changes of a barrier. Rows are numbers, in their order. */
class WindowStateTest {
  private static final List<Column> ROW = columns("n", DataTypes.LongType);
  private static final UnsafeRow PARTITION = row(0);

  private final TestState state = new TestState();
  private final WindowKeys keys =
      new WindowKeys(ROW, List.of(new OrderEncoding.Key(0, true, true)), List.of(), null);

  @AfterEach
  void close() {
    state.close();
  }

  private static UnsafeRow row(long number) {
    UnsafeRow row = new UnsafeRow(1);
    row.pointTo(new byte[16], 16);
    row.setLong(0, number);
    return row;
  }

  private static List<Long> numbers(List<UnsafeRow> rows) {
    return rows.stream().map(row -> row.getLong(0)).toList();
  }

  /** Changes of one barrier: {@code +n} comes, {@code -n} goes. */
  private List<WindowState.Slice> change(Function<Transaction, WindowState> rows, int... numbers) {
    ChangeBuffer changes = new ChangeBuffer();
    for (int number : numbers) {
      UnsafeRow row = row(Math.abs(number));
      changes.add(row, number > 0 ? 1 : -1, row);
    }
    try (Transaction tx = state.begin()) {
      List<WindowState.Slice> slices = rows.apply(tx).change(7, PARTITION, changes);
      state.commit(tx);
      return slices;
    }
  }

  /** Of functions that see one row before and one after. */
  private WindowState neighbours(Transaction tx) {
    return new WindowSlices(tx, 1, keys, new WindowReach(1, 1, List.of()), new OperatorCounters());
  }

  private WindowState firstTwo(Transaction tx) {
    RankLimit limit = new RankLimit("row_number", 2);
    return new WindowRows(tx, 1, keys, limit, new OperatorCounters());
  }

  private static int[] tens(int count) {
    return IntStream.rangeClosed(1, count).map(number -> 10 * number).toArray();
  }

  @Test
  @Reaches(Mark.SLICE_TAKES_THE_NEXT)
  void changesNearToEachOtherAreReadInOneSlice() {
    change(this::neighbours, tens(20));
    List<WindowState.Slice> slices = change(this::neighbours, -50, 95);
    assertEquals(1, slices.size());
    List<Long> before = numbers(slices.get(0).before());
    List<Long> after = numbers(slices.get(0).after());
    assertTrue(before.containsAll(List.of(40L, 50L, 60L, 90L, 100L)), before.toString());
    assertEquals(before.stream().filter(n -> n != 50).toList(),
        after.stream().filter(n -> n != 95).toList());
    assertTrue(!after.contains(50L) && after.contains(95L));
  }

  @Test
  @Reaches(Mark.SLICE_ENDS_EARLY)
  void changesFarFromEachOtherAreReadInSlicesOfTheirOwn() {
    change(this::neighbours, tens(400));
    List<WindowState.Slice> slices = change(this::neighbours, -50, 3_005);
    assertEquals(2, slices.size());
    assertTrue(numbers(slices.get(0).before()).containsAll(List.of(40L, 50L, 60L)));
    assertTrue(numbers(slices.get(1).after()).containsAll(List.of(3_000L, 3_005L, 3_010L)));
    long read = slices.stream().mapToLong(slice -> slice.before().size()).sum();
    assertTrue(read < 200, read + " of 400 rows");
  }

  @Test
  @Reaches(Mark.CHANGE_OUT_OF_SIGHT)
  void changesBehindTheRowsThatAQueryLooksAtAreNoSlice() {
    change(this::firstTwo, 10, 20, 30, 40);
    assertEquals(List.of(), change(this::firstTwo, -40, 35));
    List<WindowState.Slice> slices = change(this::firstTwo, -10);
    assertEquals(List.of(10L, 20L), numbers(slices.get(0).before()));
    assertEquals(List.of(20L, 30L), numbers(slices.get(0).after()));
  }
}
