package io.groundswell.spark.views.operator.window;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.WindowFunctions;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.WindowSpec;
import io.groundswell.spark.views.contract.dataflow.part.SessionSpec;
import io.groundswell.spark.views.operator.rank.RankLimit;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.GroupedChanges;
import io.groundswell.spark.views.operator.state.OrderEncoding;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;

/**
 * Window functions, and the merging of sessions ({@link SessionRuns}): {@code Δ = W(P + ΔP) - W(P)}
 * for each partition P that the barrier touches, where W is Spark's own evaluation over the rows of
 * P in order, ties in the order of their stream keys.
 *
 * <p>State: a {@link WindowState}. Where functions see neighbouring rows only (lag, lead, frames of
 * so many rows, the last value that is not null), of a touched partition just the neighbourhood of
 * changed rows is read; otherwise all of it, once, O(partition); if the query looks at the first
 * rows of a partition only, as in {@code row_number() <= n}, just those and one more are read, and
 * again if they changed. Partitions and sessions that a watermark has passed are forgotten.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, same key.
 */
public final class WindowOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final List<Column> input;
  private final List<Column> output;
  private final int[] partition;
  private final int[] key;
  private final int[] kept;
  private final ArrayList<OrderEncoding.Key> order = new ArrayList<>();
  private final ArrayList<OrderEncoding.Key> ties = new ArrayList<>();
  private final RankLimit limit;
  private final int session; // -1: none
  private final WindowReach reach; // null: functions see all of a partition
  private final TimeBound time; // of partitions, or of rows' own sessions; null: none
  private final ArrayList<NamedExpression> functions = new ArrayList<>();
  private final ArrayList<SortOrder> sort = new ArrayList<>();

  /** The input, and a number for each run of rows that Spark is to see as one partition. */
  private final ArrayList<Attribute> columns = new ArrayList<>();

  public WindowOperator(
      WindowSpec spec, List<Column> input, List<Column> output, CallResolver resolver) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.output = List.copyOf(output);
    this.partition = refs.positions(spec.partition(), input);
    this.key = refs.positions(spec.key(), input);
    this.limit = RankLimit.of(spec.limit(), refs);
    input.forEach(column -> columns.add(resolver.attribute(column.ref())));
    order.addAll(OrderEncoding.keys(spec.order(), refs, input));
    order.forEach(by
        -> sort.add(
            WindowFunctions.order(columns.get(by.position()), by.ascending(), by.nullsFirst())));
    for (int position : key) {
      ties.add(new OrderEncoding.Key(position, true, true));
    }
    columns.add(Catalyst.attribute("_run", DataTypes.LongType, false, Catalyst.newExprId()));
    List<Column> given = new ArrayList<>(input);
    given.add(new Column("", "_run", DataTypes.LongType, false));
    for (String id : spec.functions()) {
      NamedExpression function = (NamedExpression) resolver.expression(id);
      functions.add(function);
      given.add(output.get(refs.position("a" + function.exprId().id(), output)));
    }
    this.session = spec.session() == null ? -1 : sessionOf(spec.session(), refs, given);
    this.reach = session >= 0 || limit != null ? null : WindowReach.of(functions, columns);
    this.kept = refs.positionsOf(output, given);
    TimeBound bound = TimeBound.of(spec.watermark(), refs, input, resolver);
    this.time = bound == null || session >= 0 ? bound : bound.at(partition, refs, input);
    RowKeys.check(refs, input, partition);
    RowKeys.check(refs, input, key);
    OrderEncoding.check(refs, input, order);
    OrderEncoding.check(refs, input, ties);
  }

  /** Position of the rows' own sessions; what they merge into is one more column. */
  private int sessionOf(SessionSpec spec, Refs refs, List<Column> given) {
    given.add(output.get(refs.position(spec.merged(), output)));
    return refs.position(spec.own(), input);
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (time != null) {
      time.prepare(watermarks);
    }
    return false;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    WindowKeys places = new WindowKeys(input, order, ties, session >= 0 ? null : time);
    Projections code = new Projections();
    ClosedSessions closed = session >= 0 && time != null
        ? new ClosedSessions(tx, time, session, input.size(), new RowKeys(code, input, partition),
              places, counters)
        : null;
    if (closed != null) {
      closed.drop();
    }
    WindowState rows = reach != null ? new WindowSlices(tx, input.size(), places, reach, counters)
                                     : new WindowRows(tx, input.size(), places, limit, counters);
    return Passes.over(inputs,
        ()
            -> new Changed(rows, closed, counters),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
  }

  /** What a barrier, or a part of it, does to partitions. */
  private final class Changed implements Passes.Collector {
    private final Projections code = new Projections();
    private final GroupedChanges changes =
        new GroupedChanges(code, input, new RowKeys(code, input, partition), key);
    private final WindowState rows;
    private final ClosedSessions closed; // null: no sessions close
    private final OperatorCounters counters;

    Changed(WindowState rows, ClosedSessions closed, OperatorCounters counters) {
      this.rows = rows;
      this.closed = closed;
      this.counters = counters;
    }

    @Override
    public long add(int number, InternalRow row) {
      UnsafeRow partitionKey = changes.groups().of(row);
      if (closed != null && row.getInt(input.size()) > 0) {
        closed.add(partitionKey, row);
      }
      return changes.add(partitionKey, row);
    }

    @Override
    public void moveAll(Passes.Target parts) {
      changes.moveAll(0, parts);
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      changes.move(number, row, parts);
    }

    @Override
    public Iterator<InternalRow> changes() {
      if (changes.byGroup().values().stream().anyMatch(buffer -> !buffer.isKeyed())) {
        throw RowKeys.inconsistent(
            "window \"" + state + "\": a stream key changed twice in a partition and a barrier");
      }
      WindowRuns runs = new WindowRuns(code, input, changes.groups(), rows, changes.byGroup());
      Iterator<InternalRow> evaluated = session >= 0
          ? new SessionRuns(runs, session, input.size())
          : WindowFunctions.evaluate(
                functions, columns.get(columns.size() - 1), sort, columns, runs);
      return new Delta(code, counters, runs, evaluated, new RowKeys(code, input, key));
    }
  }

  /** What the evaluated rows of each partition, first as they were, then as they are, differ in. */
  private final class Delta extends ChangeIterator {
    private final WindowRuns runs;
    private final Iterator<InternalRow> evaluated;
    private final RowKeys keys;
    private final UnsafeProjection columns;
    private Iterator<UnsafeRow[]> pairs = List.<UnsafeRow[]>of().iterator();

    Delta(Projections code, OperatorCounters counters, WindowRuns runs,
        Iterator<InternalRow> evaluated, RowKeys keys) {
      super(code, Projections.types(output), counters);
      this.runs = runs;
      this.evaluated = evaluated;
      this.keys = keys;
      List<Column> given = new ArrayList<>(input);
      given.add(new Column("", "_run", DataTypes.LongType, false));
      functions.forEach(
          f -> given.add(new Column("", f.name(), ((Expression) f).dataType(), true)));
      if (session >= 0) {
        given.add(new Column("", "_session", input.get(session).type(), true));
      }
      this.columns = code.select(given, kept);
    }

    @Override
    protected boolean advance() {
      while (!pairs.hasNext()) {
        if (!evaluated.hasNext()) {
          return false;
        }
        pairs = partition().values().iterator();
      }
      UnsafeRow[] pair = pairs.next();
      before = pair[0];
      after = pair[1];
      dropIfSame();
      return true;
    }

    private Map<UnsafeRow, UnsafeRow[]> partition() {
      Map<UnsafeRow, UnsafeRow[]> changed = new LinkedHashMap<>();
      for (WindowRuns.Pair sizes : runs.sizes().remove()) {
        Map<UnsafeRow, UnsafeRow[]> slice = new LinkedHashMap<>();
        take(sizes.before(), 0, slice);
        take(sizes.after(), 1, slice);
        slice.forEach((key, pair) -> {
          if (pair[0] == null || !pair[0].equals(pair[1])) {
            changed.merge(key, pair, Delta::joined);
          }
        });
      }
      return changed;
    }

    /** Of a row that moved from one slice to another. */
    private static UnsafeRow[] joined(UnsafeRow[] one, UnsafeRow[] other) {
      Mark.ROW_CHANGES_ITS_SLICE.hit();
      return new UnsafeRow[] {
          one[0] != null ? one[0] : other[0], one[1] != null ? one[1] : other[1]};
    }

    private void take(int count, int index, Map<UnsafeRow, UnsafeRow[]> rows) {
      for (int i = 0; i < count; i++) {
        InternalRow row = evaluated.next();
        UnsafeRow copy = columns.apply(row).copy();
        rows.computeIfAbsent(keys.of(row).copy(), k -> new UnsafeRow[2])[index] = copy;
      }
    }
  }
}
