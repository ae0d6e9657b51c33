package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.TestState;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The aggregation that there is beside one that takes batches, see {@link BatchedAggregate}: rows a
 * second of processor time, commit included, medians of the later barriers. A main program: {@code
 * make bench-batches}.
 */
final class BatchedAggregateBenchmark {
  private static final List<Column> INPUT = Fixture.columns("g", DataTypes.LongType, "x",
      DataTypes.LongType, "y", DataTypes.LongType, "z", DataTypes.LongType);
  private static final int[] SIZES = {1_000, 20_000, 200_000, 2_000_000};
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private BatchedAggregateBenchmark() {}

  public static void main(String[] args) {
    int rows = args.length > 0 ? Integer.parseInt(args[0]) : 250_000;
    int barriers = args.length > 1 ? Integer.parseInt(args[1]) : 15;
    System.out.printf("%,d rows a barrier, count and three sums%n%n", rows);
    System.out.println("| groups | rows | batches | ratio |");
    System.out.println("|--:|--:|--:|--:|");
    int[] sizes = args.length > 2 ? new int[] {Integer.parseInt(args[2])} : SIZES;
    for (int groups : sizes) {
      double each = measure(rows, barriers, groups, false);
      double batched = measure(rows, barriers, groups, true);
      System.out.printf("| %,d | %,.0f | %,.0f | %.2f |%n", groups, each, batched, batched / each);
    }
  }

  private static double measure(int rows, int barriers, int groups, boolean batched) {
    Random random = new Random(7);
    double[] found = new double[barriers];
    BatchedAggregate batches = new BatchedAggregate(INPUT, new int[] {0}, new int[] {1, 2, 3});
    TestState state = new TestState(StoreOptions.defaults(), 512 << 20);
    try (Fixture f = AggregateFixture.of(
             state, INPUT, List.of("g"), "count()", "sum(x)", "sum(y)", "sum(z)")) {
      for (int barrier = 0; barrier < barriers; barrier++) {
        List<InternalRow> input = rows(random, rows, groups);
        OperatorCounters counters = new OperatorCounters();
        long[] sum = new long[1]; // so that the output is looked at
        long begun = THREADS.getCurrentThreadCpuTime();
        try (Transaction tx = state.begin()) {
          if (batched) {
            batches.run(tx, input.iterator(), counters, row -> sum[0] += row.getSizeInBytes());
          } else {
            f.operator.run(tx, barrier, List.of(input.iterator()), counters)
                .forEachRemaining(row -> sum[0] += row.numFields());
          }
          state.commit(tx);
        }
        found[barrier] = rows * 1e9 / (THREADS.getCurrentThreadCpuTime() - begun);
        if (sum[0] == 0 || counters.rowsIn != rows) {
          throw new AssertionError("nothing came out");
        }
      }
    }
    double[] later = Arrays.copyOfRange(found, barriers / 3, barriers);
    Arrays.sort(later);
    return later[later.length / 2];
  }

  private static List<InternalRow> rows(Random random, int rows, int groups) {
    DataType[] types = new DataType[INPUT.size() + 1];
    Arrays.fill(types, DataTypes.LongType);
    types[INPUT.size()] = DataTypes.IntegerType;
    UnsafeProjection unsafe = UnsafeProjection.create(types);
    List<InternalRow> made = new ArrayList<>(rows);
    for (int i = 0; i < rows; i++) {
      Object[] values = {(long) random.nextInt(groups), (long) random.nextInt(1000),
          (long) random.nextInt(1000), (long) random.nextInt(1000), 1};
      made.add(unsafe.apply(new GenericInternalRow(values)).copy());
    }
    return made;
  }
}
