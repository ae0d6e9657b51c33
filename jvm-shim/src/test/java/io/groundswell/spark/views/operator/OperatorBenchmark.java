package io.groundswell.spark.views.operator;

import io.groundswell.engine.StoreOptions;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.Fixture.Change;
import io.groundswell.spark.views.operator.aggregate.AggregateFixture;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;

/**
 * Rows a second of processor time of each operator, a barrier at a time, commit included, the best
 * barrier: a main program, run as {@code java -cp ...
 * io.groundswell.spark.views.operator.OperatorBenchmark [rows] [barriers]}.
 */
final class OperatorBenchmark {
  private static final List<Column> INPUT =
      Fixture.columns("id", DataTypes.LongType, "g", DataTypes.StringType, "x",
          DataTypes.IntegerType, "d", DataTypes.DoubleType, "u", DataTypes.LongType);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final int rows;
  private final int barriers;
  private final Random random = new Random(7);
  private long nextId;

  private OperatorBenchmark(int rows, int barriers) {
    this.rows = rows;
    this.barriers = barriers;
  }

  public static void main(String[] args) {
    int rows = args.length > 0 ? Integer.parseInt(args[0]) : 250_000;
    OperatorBenchmark bench =
        new OperatorBenchmark(rows, args.length > 1 ? Integer.parseInt(args[1]) : 6);
    String[] plain = {"count()", "sum(x)", "avg(d)", "count(d)"};
    bench.aggregate("4 calls, 1,000 groups", 1000, plain);
    bench.aggregate("4 calls, 200,000 groups", 200_000, plain);
    bench.aggregate("min, max, 1,000 groups", 1000, "min(x)", "max(d)");
    bench.appends("append-only min, max", 1000, "min(x)", "max(d)");
    bench.aggregate("count distinct, 1,000 groups", 1000, "count(distinct u)");
    bench.top();
    bench.materialize();
    bench.join();
  }

  private void aggregate(String name, int groups, String... calls) {
    try (Fixture f = AggregateFixture.of(state(), INPUT, List.of("g"), calls)) {
      run(name, f, () -> List.of(changes(groups)));
    }
  }

  private void appends(String name, int groups, String... calls) {
    try (Fixture f = AggregateFixture.of(state(), INPUT, true, List.of("g"), calls)) {
      run(name, f, () -> List.of(changes(groups)));
    }
  }

  private void top() {
    try (Fixture f = new Fixture(
             "{op: 'top_n', order: [{ref: 'x', ascending: false}], key: ['id'], state: 't',"
                 + " limit: 10, offset: 0}",
             List.of(INPUT), INPUT, null, state())) {
      run("top 10", f, () -> List.of(changes(1000)));
    }
  }

  private void materialize() {
    try (Fixture f =
             new Fixture("{op: 'materialize', view: 'v', key: ['id'], changelog: true, state: 'm',"
                     + " fields: ['g', 'x']}",
                 List.of(INPUT), INPUT, null, state())) {
      run("materialize", f, () -> List.of(changes(1000)));
    }
  }

  private void join() {
    List<Column> right = Fixture.columns("rid", DataTypes.LongType, "rg", DataTypes.StringType,
        "rx", DataTypes.IntegerType, "rd", DataTypes.DoubleType, "ru", DataTypes.LongType);
    List<Column> output = new ArrayList<>(INPUT);
    output.addAll(right);
    try (Fixture f = new Fixture(
             "{op: 'join', leftKeys: ['u'], rightKeys: ['ru'], leftKey: ['id'], rightKey: ['rid'],"
                 + " state: 'j'}",
             List.of(INPUT, right), output, null, state())) {
      run("join, half of the rows a side", f, () -> {
        List<Change> both = changes(1000);
        return List.of(both.subList(0, rows / 2), both.subList(rows / 2, rows));
      });
    }
  }

  private List<Change> changes(int groups) {
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      changes.add(Fixture.insert(nextId++, "group" + random.nextInt(groups),
          random.nextInt(100_000), random.nextInt(100_000) / 100.0, (long) random.nextInt(rows)));
    }
    return changes;
  }

  private void run(String name, Fixture f, java.util.function.Supplier<List<List<Change>>> next) {
    long best = Long.MAX_VALUE;
    OperatorCounters counters = new OperatorCounters();
    for (int barrier = 0; barrier < barriers; barrier++) {
      List<Iterator<InternalRow>> inputs = new ArrayList<>();
      List<List<Change>> changes = next.get();
      for (List<Change> each : changes) {
        List<InternalRow> copies = new ArrayList<>();
        Fixture.rows(INPUT, each).forEachRemaining(row -> copies.add(((UnsafeRow) row).copy()));
        inputs.add(copies.iterator());
      }
      counters = new OperatorCounters();
      long started = THREADS.getCurrentThreadCpuTime();
      try (Transaction tx = f.state.begin()) {
        f.operator.run(tx, barrier, inputs, counters).forEachRemaining(row -> {});
        f.state.commit(tx);
      }
      best = Math.min(best, THREADS.getCurrentThreadCpuTime() - started);
    }
    System.out.printf(
        "%-32s %5d ms a barrier of %,d rows, %,10d rows/s; out %,d, reads %,d, writes %,d%n", name,
        best / 1_000_000, rows, rows * 1_000_000_000L / best, counters.rowsOut, counters.stateReads,
        counters.stateWrites);
  }

  private static TestState state() {
    return new TestState(StoreOptions.defaults(), 512 << 20);
  }
}
