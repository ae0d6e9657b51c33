package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.part.CallSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.spark.views.operator.state.UnreadRows;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Groups and aggregates: {@code Δ = result(state + Σ weights) - result(state)}, for each group that
 * the barrier touches.
 *
 * <p>State: {@code groups}, by the hash of the grouping columns: grouping columns → number of rows
 * and one accumulator a call; {@code values-<arg>-<filter>-<asc|desc>}, for min and max, which
 * need none of an append-only input, see {@link ValueMultiset}; {@code distinct-<arg>}, for
 * distinct calls, see {@link DistinctValues}. A group costs one read and one write a barrier.
 *
 * <p>Takes inserts, deletes and updates, of keyed rows or of a bag; gives inserts, deletes and
 * updates, keyed by the grouping columns. A group without rows vanishes; without grouping columns
 * there is one group, which is always there. Rows may come folded by a {@link PartialAggregation}.
 * With a watermark on a grouping column, keys begin with its time, and groups that it has passed
 * are gone from the state, while their rows stay given. {@link UnreadRows} are groups that end,
 * too.
 */
public final class AggregateOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final List<Column> input;
  private final int[] grouping;
  private final int rowsAt; // how many rows are folded into one; -1: they come one by one

  /** Of the row of grouping columns; null: groups are for ever. */
  private final TimeBound time;

  private final UnreadRows unread; // null: none
  private final List<AggregateCall> calls = new ArrayList<>();

  /** Where each output column stands in the grouping columns and, after them, the calls. */
  private final int[] kept;

  private final List<Column> results = new ArrayList<>();

  public AggregateOperator(
      AggregateSpec spec, List<Column> input, List<Column> output, CallResolver resolver) {
    this(spec, spec.calls(), null, input, output, resolver);
  }

  /** Over rows that were folded. */
  public AggregateOperator(PartialAggregation partial, List<Column> output, CallResolver resolver) {
    this(partial.spec(), partial.calls(), partial.rows(), partial.columns(), output, resolver);
  }

  private AggregateOperator(AggregateSpec spec, List<CallSpec> called, String rows,
      List<Column> input, List<Column> output, CallResolver resolver) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.input = List.copyOf(input);
    this.grouping = refs.positions(spec.grouping(), input);
    this.rowsAt = refs.positionOrNone(rows, input);
    RowKeys.check(refs, input, grouping);
    TimeBound column = TimeBound.of(spec.watermark(), refs, input, resolver);
    this.time = column == null ? null : column.at(grouping, refs, input);
    for (int position : grouping) {
      results.add(input.get(position));
    }
    for (CallSpec call : called) {
      Column out = output.get(refs.position(call.out(), output));
      results.add(out);
      calls.add(AggregateCall.of(call, input, resolver, out.type(), spec.appendOnly()));
    }
    this.kept = refs.positionsOf(output, results);
    if (spec.unread() != null && (time != null || grouping.length == 0)) {
      throw refs.invalid("ends groups that are not read: it needs groups, and no watermark");
    }
    this.unread =
        UnreadRows.of(spec.unread(), refs, output, called(output, spec.results()), resolver);
  }

  /** The columns as the conditions above call them. */
  private static List<Column> called(List<Column> columns, List<String> refs) {
    List<Column> found = new ArrayList<>();
    for (int i = 0; i < refs.size(); i++) {
      Column column = columns.get(i);
      found.add(new Column(refs.get(i), column.name(), column.type(), column.nullable()));
    }
    return found;
  }

  @Override
  public boolean needsEmptyRun() {
    return grouping.length == 0;
  }

  @Override
  public TableMove move(String table) {
    return DistinctValues.isTable(table) ? new GroupMove(input, grouping, time != null)
                                         : TableMove.BY_HASH;
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (time != null) {
      time.prepare(watermarks);
    }
    return unread != null && unread.prepare(watermarks);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    counters.atHand.is("group", IntStream.of(grouping).mapToObj(input::get).toList());
    UnreadRows.InState ending = unread == null ? null : unread.in(tx, grouping.length, counters);
    if (ending != null) {
      new Groups(tx, ending, counters).endUnread();
    }
    return Passes.over(inputs,
        ()
            -> new Groups(tx, ending, counters),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
  }

  /** Groups that a pass folds rows into. It keeps those that it has: they do not grow. */
  private final class Groups implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowKeys keys = new RowKeys(code, input, grouping);
    private final OperatorCounters counters;
    private final GroupTable table;
    private final UnreadRows.InState ending; // null: none end
    private final long most = EngineServices.shared().collected().total() / 8;
    private UnsafeProjection whole; // null: no row was moved yet
    private long held;

    Groups(Transaction tx, UnreadRows.InState ending, OperatorCounters counters) {
      this.ending = ending;
      this.counters = counters;
      this.table = new GroupTable(StateTable.hashed(tx, "groups", counters),
          new GroupCalls(calls, code, input, name -> StateTable.hashed(tx, name, counters)), keys,
          time);
      table.clean();
      if (needsEmptyRun()) {
        table.group(keys.of(InternalRow.empty()));
      }
    }

    /** Ends what the watermark has passed, but where rows have come since that are read. */
    void endUnread() {
      Output was = new Output(code);
      while (ending.take()) {
        UnsafeRow key = ending.partition();
        if (!table.look(key)) {
          continue;
        }
        table.resultsBefore(was.values);
        if (ending.isPassed(was.row(key))) {
          table.end(key);
        } else {
          Mark.UNREAD_GROUP_CAME_BACK.hit();
        }
      }
    }

    @Override
    public long rows(int number, InternalRow row) {
      return rowsAt < 0 ? 1 : row.getLong(rowsAt);
    }

    @Override
    public long add(int number, InternalRow row) {
      UnsafeRow key = keys.of(row);
      counters.atHand.set(key);
      fold(table.group(key), row);
      long before = held;
      held = table.bytes();
      return held - before;
    }

    private void fold(int group, InternalRow row) {
      if (rowsAt < 0) {
        table.add(group, row, row.getInt(input.size()));
      } else {
        table.addPartial(group, row, row.getLong(rowsAt));
      }
    }

    @Override
    public long release() {
      table.applyValues(false);
      long before = held;
      held = table.bytes();
      return before - held;
    }

    @Override
    public void move(int number, InternalRow row, Passes.Target parts) {
      UnsafeRow key = keys.of(row);
      counters.atHand.set(key);
      int group = table.find(key);
      if (group >= 0) {
        fold(group, row);
        if (table.bytes() > held + most) { // values of groups do grow
          Mark.VALUES_GROW_IN_A_PASS.hit();
          table.applyValues(false);
        }
        return;
      }
      if (whole == null) {
        whole = code.select(input, Projections.all(input.size()));
      }
      parts.add(
          number, keys.hash(key), rowsAt < 0 ? row.getInt(input.size()) : 1, whole.apply(row));
    }

    @Override
    public Iterator<InternalRow> changes() {
      table.applyValues(true);
      return new GroupChanges(code, keys, table, ending, counters);
    }
  }

  /** What the barrier does to each group's row; writes the groups on the way. */
  private final class GroupChanges extends ChangeIterator {
    private final RowKeys keys;
    private final GroupTable table;
    private final UnreadRows.InState ending; // null: none end
    private final OperatorCounters counters;
    private final Output old;
    private final Output now;
    private int group = -1;

    GroupChanges(Projections code, RowKeys keys, GroupTable table, UnreadRows.InState ending,
        OperatorCounters counters) {
      super(code, Projections.types(results, kept), counters);
      this.keys = keys;
      this.table = table;
      this.ending = ending;
      this.counters = counters;
      this.old = new Output(code);
      this.now = new Output(code);
    }

    @Override
    protected boolean advance() {
      if (++group >= table.size()) {
        return false;
      }
      UnsafeRow key = table.key(group);
      counters.atHand.set(key);
      table.load(group);
      if (table.rows(group) < 0) {
        throw RowKeys.inconsistent("aggregate \"" + state
            + "\": more rows deleted than inserted in the group " + keys.text(key));
      }
      boolean vanishes = table.rows(group) == 0 && !needsEmptyRun();
      Mark.GROUP_COMES_AND_GOES.hitIf(vanishes && !table.wasThere());
      if (vanishes ? !table.delete(group) : !table.write(group)) {
        return true;
      }
      if (table.wasThere()) {
        table.resultsBefore(old.values);
        before = old.row(key);
      }
      if (!vanishes) {
        table.results(group, now.values);
        after = now.row(key);
        if (ending != null) {
          ending.note(keys.hash(key), key, after);
        }
      }
      dropIfSame();
      return true;
    }
  }

  /** Makes output rows of a group's key and its results, which it holds. */
  private final class Output {
    private final InternalRow values;
    private final JoinedRow joined = new JoinedRow();
    private final UnsafeProjection columns;

    Output(Projections code) {
      List<Column> called = results.subList(grouping.length, results.size());
      values = new SpecificInternalRow(Scala.seq(called.stream().map(Column::type).toList()));
      columns = code.select(results, kept);
    }

    UnsafeRow row(UnsafeRow key) {
      return columns.apply(joined.apply(grouping.length == 0 ? InternalRow.empty() : key, values));
    }
  }
}
