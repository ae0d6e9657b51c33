package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.memtable.MemoryBudget;
import io.groundswell.spark.views.contract.dataflow.TemporalJoinSpec;
import io.groundswell.spark.views.operator.join.JoinSide;
import io.groundswell.spark.views.operator.join.JoinType;
import io.groundswell.spark.views.operator.join.MatchRows;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.ChangeIterator;
import io.groundswell.spark.views.operator.state.GroupedChanges;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A stream beside a table as it is now: a row of the stream meets the table once, as the barrier
 * that brings the row leaves it; what becomes of the table later is nothing to it.
 *
 * <p>State: {@code right}, the table by the hash of the join key, see {@link JoinSide}. If the
 * stream may take rows back, also {@code given}: what each of its rows has met, by (join key,
 * stream key), so that the same is taken back; rows that met nothing have no entry.
 *
 * <p>Takes any keyed changes; gives inserts, and deletes of what was given before. Inner and left
 * outer only.
 */
public final class TemporalJoinOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final String state;
  private final JoinType type;
  private final Expression residual;
  private final List<Column> left;
  private final List<Column> right;
  private final int[] leftKeys;
  private final int[] rightKeys;
  private final int[] leftKey;
  private final int[] rightKey;
  private final boolean remembers;

  public TemporalJoinOperator(TemporalJoinSpec spec, List<List<Column>> inputs, List<Column> output,
      CallResolver expressions) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.type = JoinType.of(spec.joinType(), refs);
    this.left = List.copyOf(inputs.get(0));
    this.right = List.copyOf(inputs.get(1));
    this.leftKeys = refs.positions(spec.leftKeys(), left);
    this.rightKeys = refs.positions(spec.rightKeys(), right);
    this.leftKey = refs.positions(spec.leftKey(), left);
    this.rightKey = refs.positions(spec.rightKey(), right);
    this.remembers = !spec.appendOnly();
    RowKeys.check(refs, left, leftKeys);
    RowKeys.check(refs, left, leftKey);
    RowKeys.check(refs, right, rightKey);
    if (!Arrays.equals(Projections.types(left, leftKeys), Projections.types(right, rightKeys))) {
      throw refs.invalid("joins keys of different types");
    }
    if (type != JoinType.INNER && type != JoinType.LEFT_OUTER) {
      throw refs.invalid("is neither an inner nor a left outer join");
    }
    List<Column> both = new ArrayList<>(left);
    both.addAll(right);
    String condition = spec.residual();
    this.residual = condition == null ? null : expressions.condition(condition, both);
    refs.checkSame(output, both);
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    MemoryBudget budget = EngineServices.shared().collected();
    JoinSide table =
        new JoinSide(tx, "right", right.size(), rightKey.length, false, null, counters);
    Passes
        .over(List.of(inputs.get(1)),
            () -> new TableChanges(table), new int[] {right.size()}, budget, counters)
        .hasNext(); // takes all passes: none gives a row
    return KeyedChanges.over(inputs.get(0), left, wholeKey(), Projections.all(left.size()),
        counters,
        pass
        -> new Met(
            pass.keyed("temporal_join \"" + state + "\": a stream key changed twice in a barrier"),
            tx, table, counters));
  }

  /** The join key, then what else the stream key has: one row of the stream, in its place. */
  private int[] wholeKey() {
    int[] whole = Arrays.copyOf(leftKeys, leftKeys.length + leftKey.length);
    System.arraycopy(leftKey, 0, whole, leftKeys.length, leftKey.length);
    return whole;
  }

  /** What a barrier, or a part of it, does to the table. */
  private final class TableChanges implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowKeys keys = new RowKeys(code, right, rightKeys);
    private final GroupedChanges changes = new GroupedChanges(code, right, keys, rightKey);
    private final JoinSide table;

    TableChanges(JoinSide table) {
      this.table = table;
    }

    @Override
    public long add(int input, InternalRow row) {
      UnsafeRow key = keys.of(row);
      return keys.hasNull(key) ? 0 : changes.add(key, row);
    }

    @Override
    public void moveAll(Passes.Target parts) {
      changes.moveAll(0, parts);
    }

    @Override
    public void move(int input, InternalRow row, Passes.Target parts) {
      changes.move(0, row, parts);
    }

    @Override
    public Iterator<InternalRow> changes() {
      changes.byGroup().forEach((key, changed) -> {
        if (!changed.isKeyed()) {
          throw RowKeys.inconsistent("temporal_join \"" + state
              + "\": a stream key changed twice in a barrier, under the key " + keys.text(key));
        }
        table.apply(keys.hash(key), key, changed, null);
      });
      code.release();
      return Collections.emptyIterator();
    }
  }

  /** The stream's rows, each with what it meets. */
  private final class Met extends ChangeIterator {
    private final JoinSide table;
    private final JoinSide given;
    private final RowKeys joinKeys;
    private final UnsafeProjection join;
    private final UnsafeProjection rightKeyOf;
    private final MatchRows rows;
    private final Iterator<ChangeBuffer.Change> changes;
    private Iterator<ChangeBuffer.Change> ready = List.<ChangeBuffer.Change>of().iterator();

    Met(KeyedChanges.Pass pass, Transaction tx, JoinSide table, OperatorCounters counters) {
      super(pass.code(), concat(Projections.types(left), Projections.types(right)), counters);
      Projections code = pass.code();
      this.table = table;
      this.given = remembers
          ? new JoinSide(tx, "given", right.size(), rightKey.length, false, null, counters)
          : null;
      this.joinKeys = new RowKeys(code, left, leftKeys);
      this.join = code.key(left, leftKeys);
      this.rightKeyOf = code.key(right, rightKey);
      this.rows = new MatchRows(type, left, right, residual, code, counters.atHand);
      this.changes = pass.changes().changes().iterator();
    }

    @Override
    protected boolean advance() {
      if (ready.hasNext()) {
        ChangeBuffer.Change change = ready.next();
        before = change.before();
        after = change.after();
        return true;
      }
      if (!changes.hasNext()) {
        return false;
      }
      ready = met(changes.next()).iterator();
      return true;
    }

    private List<ChangeBuffer.Change> met(ChangeBuffer.Change change) {
      if (change.isNone()) {
        return List.of();
      }
      UnsafeRow joinKey = join.apply(change.after() == null ? change.before() : change.after());
      UnsafeRow key = change.key();
      int hash = joinKeys.hash(joinKey);
      boolean matches = !joinKeys.hasNull(joinKey);
      ChangeBuffer net = new ChangeBuffer();
      ChangeBuffer remembered = new ChangeBuffer();
      if (change.before() != null) {
        takeBack(hash, key, change.before(), matches, net, remembered);
      }
      if (change.after() != null) {
        meet(hash, joinKey, change.after(), matches, net, remembered);
      }
      if (given != null && matches) {
        given.apply(hash, key, remembered, null);
      }
      return net.net();
    }

    private void takeBack(int hash, UnsafeRow key, UnsafeRow row, boolean matches, ChangeBuffer net,
        ChangeBuffer remembered) {
      if (given == null) {
        throw RowKeys.inconsistent(
            "temporal_join \"" + state + "\": a row of an append-only stream is taken back");
      }
      boolean any = false;
      if (matches) {
        given.open(hash, key);
        while (given.next(NOTHING)) {
          any = true;
          UnsafeRow rightKeyRow = rightKeyOf.apply(given.row());
          net.add(rightKeyRow, -1, rows.before.joined(row, given.row()));
          remembered.add(rightKeyRow, -1, given.row());
        }
      }
      if (!any && type == JoinType.LEFT_OUTER) {
        net.add(UNMATCHED, -1, rows.unitBefore(true, row, false));
      }
    }

    private void meet(int hash, UnsafeRow joinKey, UnsafeRow row, boolean matches, ChangeBuffer net,
        ChangeBuffer remembered) {
      boolean any = false;
      if (matches) {
        table.open(hash, joinKey);
        while (table.next(NOTHING)) {
          if (rows.after.join(true, row, table.row())) {
            any = true;
            UnsafeRow rightKeyRow = rightKeyOf.apply(table.row());
            net.add(rightKeyRow, 1, rows.after.pair());
            if (given != null) {
              remembered.add(rightKeyRow, 1, table.row());
            }
          }
        }
      }
      if (!any && type == JoinType.LEFT_OUTER) {
        net.add(UNMATCHED, 1, rows.unitAfter(true, row, false));
      }
    }
  }

  private static final ChangeBuffer NOTHING = new ChangeBuffer();

  /** Stands for no right row: no key has as many bytes. */
  private static final UnsafeRow UNMATCHED = unmatched();

  private static UnsafeRow unmatched() {
    UnsafeRow row = new UnsafeRow(0);
    row.pointTo(new byte[0], 0);
    return row;
  }
}
