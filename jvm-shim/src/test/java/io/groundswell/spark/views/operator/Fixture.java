package io.groundswell.spark.views.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.operator.recursion.LevelOperator;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.StatePartitions;
import io.groundswell.spark.views.operator.view.MaterializeOperator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** One operator over one state: feeds it changes as Java values, and gives what it gives. */
public final class Fixture implements AutoCloseable {
  public final TestState state;
  public final OperatorCounters counters = new OperatorCounters();
  public final RowOperator operator;
  private final List<List<Column>> inputs;
  private final List<Column> output;
  private long epoch;

  /** A change: +1 or -1, and the row. */
  public record Change(int weight, List<Object> row) {
    @Override
    public String toString() {
      return (weight > 0 ? "+" : "-") + row;
    }
  }

  public Fixture(String spec, List<List<Column>> inputs, List<Column> output, CallResolver calls) {
    this(spec, inputs, output, calls, new TestState());
  }

  public Fixture(String spec, List<List<Column>> inputs, List<Column> output, CallResolver calls,
      TestState state) {
    this.state = state;
    this.operator = shipped(Described.operator(spec, inputs, output, calls));
    this.inputs = inputs;
    this.output = output;
  }

  public static List<Column> columns(Object... refsAndTypes) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < refsAndTypes.length; i += 2) {
      String ref = (String) refsAndTypes[i];
      columns.add(new Column(ref, ref, (DataType) refsAndTypes[i + 1], true));
    }
    return columns;
  }

  public static Change insert(Object... row) {
    return new Change(1, Arrays.asList(row));
  }

  public static Change delete(Object... row) {
    return new Change(-1, Arrays.asList(row));
  }

  @SafeVarargs
  public final List<Change> barrier(List<Change>... changes) {
    counters.rowsIn = counters.rowsOut = counters.stateReads = counters.stateWrites = 0;
    counters.nextLevel = OperatorCounters.NO_LEVEL;
    List<Iterator<InternalRow>> rows = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      rows.add(rows(inputs.get(i), changes[i]));
    }
    List<Change> given = new ArrayList<>();
    try (Transaction tx = state.begin()) {
      operator.run(tx, epoch++, rows, counters)
          .forEachRemaining(row -> given.add(change(row, output)));
      state.commit(tx);
    }
    boolean gives = !(operator instanceof MaterializeOperator || operator instanceof LevelOperator);
    assertEquals(given.size(), gives ? counters.rowsOut : 0);
    return given;
  }

  /** The level that the next barrier is to settle. */
  public void prepare(int level) {
    ((LevelOperator) operator).prepare(level);
  }

  /** What one of several tasks gives that share one partition; writes nothing. */
  @SafeVarargs
  public final List<Change> slice(int task, int tasks, List<Change>... changes) {
    List<Iterator<InternalRow>> rows = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      rows.add(rows(inputs.get(i), changes[i]));
    }
    List<Change> given = new ArrayList<>();
    try (Transaction tx = state.begin()) {
      StatePartitions states = new StatePartitions() {
        @Override
        public int number() {
          return task;
        }

        @Override
        public int count() {
          return tasks;
        }

        @Override
        public Transaction own() {
          return tx;
        }

        @Override
        public Transaction at(int partition) {
          return tx;
        }
      };
      operator.run(states, epoch, rows, counters)
          .forEachRemaining(row -> given.add(change(row, output)));
    }
    return given;
  }

  /** The same, with the changes of each input shuffled. */
  @SafeVarargs
  public final List<Change> shuffled(Random random, List<Change>... changes) {
    for (List<Change> each : changes) {
      Collections.shuffle(each, random);
    }
    return barrier(changes);
  }

  public long lastEpoch() {
    return epoch - 1;
  }

  public Snapshot snapshot() {
    return state.snapshot();
  }

  @Override
  public void close() {
    state.close();
  }

  private static RowOperator shipped(RowOperator made) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      new ObjectOutputStream(bytes).writeObject(made);
      return (RowOperator) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))
          .readObject();
    } catch (java.io.IOException | ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** Rows as Spark gives them: unsafe, one object for all. */
  public static Iterator<InternalRow> rows(List<Column> columns, List<Change> changes) {
    List<DataType> types = new ArrayList<>(columns.stream().map(Column::type).toList());
    types.add(DataTypes.IntegerType);
    UnsafeProjection unsafe = UnsafeProjection.create(types.toArray(DataType[] ::new));
    Iterator<Change> each = changes.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return each.hasNext();
      }

      @Override
      public InternalRow next() {
        Change change = each.next();
        Object[] values = new Object[types.size()];
        for (int i = 0; i < values.length - 1; i++) {
          values[i] = internal(change.row.get(i));
        }
        values[values.length - 1] = change.weight;
        return unsafe.apply(new GenericInternalRow(values));
      }
    };
  }

  /** A Java value as rows hold it. */
  public static Object internal(Object value) {
    return value instanceof String text ? UTF8String.fromString(text) : value;
  }

  public static Object external(Object value) {
    return value instanceof UTF8String text ? text.toString() : value;
  }

  public static List<Object> values(InternalRow row, List<Column> columns) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      values.add(external(row.get(i, columns.get(i).type())));
    }
    return values;
  }

  private static Change change(InternalRow row, List<Column> columns) {
    return new Change(row.getInt(columns.size()), values(row, columns));
  }

  /** Applies changes to a keyed table, and checks that they keep the promise of a changelog. */
  public static void apply(
      Map<List<Object>, List<Object>> table, List<Change> changes, int... key) {
    Map<List<Object>, Integer> last = new HashMap<>();
    int number = 0;
    for (Change change : changes) {
      List<Object> keyed = Arrays.stream(key).mapToObj(change.row::get).toList();
      Integer before = last.put(keyed, number++);
      if (change.weight < 0) {
        assertEquals(null, before, "- is not the key's first change: " + changes);
        assertEquals(change.row, table.remove(keyed), "deletes what is not there: " + changes);
      } else {
        if (before != null) {
          assertEquals(number - 2, before, "a pair is not adjacent: " + changes);
          if (changes.get(before).row.equals(change.row)) {
            fail("a pair changes nothing: " + changes);
          }
        }
        assertEquals(null, table.put(keyed, change.row), "inserts what is there: " + changes);
      }
    }
  }

  /** A seed that the test prints, so that a failure can be run again. */
  public static long seed(String test) {
    long seed = Long.getLong("groundswell.seed", System.nanoTime());
    System.out.println(
        test + ": seed " + seed + " (-Dgroundswell.seed=" + seed + " runs it again)");
    return seed;
  }

  public static <V> TreeMap<List<Object>, V> table() {
    return new TreeMap<>(java.util.Comparator.comparing(Object::toString));
  }
}
