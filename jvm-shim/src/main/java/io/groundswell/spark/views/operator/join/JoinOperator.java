package io.groundswell.spark.views.operator.join;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.memtable.MemoryBudget;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.JoinSpec;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.spark.views.operator.state.BundleCount;
import io.groundswell.spark.views.operator.state.BundleMove;
import io.groundswell.spark.views.operator.state.BundleTable;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.RowMap;
import io.groundswell.spark.views.operator.state.TimeBound;
import io.groundswell.storage.FastPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;

/**
 * Joins of all {@link JoinType}s: {@code Δ(L ⋈ R) = ΔL ⋈ R + (L + ΔL) ⋈ ΔR}, and for the rows that
 * a join gives because they have a match, or have none, what turns them from one to the other.
 *
 * <p>State: {@code left} and {@code right}, by the hash of the join key, see {@link JoinSide}; of
 * an inner join of which neither input takes anything back nor ends by time, {@code left-bundles}
 * and {@code right-bundles}, see {@link BundleTable}. For
 * each join key that the barrier touches, a side is read at most once, and only if the other side
 * has changed. Rows whose join key has a null match nothing and are not stored. Without join keys
 * every row is compared with every other, in one partition.
 *
 * <p>Takes inserts, deletes and updates, keyed; gives inserts, deletes and updates, keyed by the
 * two stream keys and the join key. Rows that move to another join key on both sides in one barrier
 * are a - under the old one and a + under the new one, not a pair. See {@link JoinDelta} (inner
 * joins) and {@link MatchDelta} (all others) for how one net change a key comes about.
 */
public final class JoinOperator implements EventTimeOperator {
  private static final long serialVersionUID = 1L;
  private static final String LEFT_BUNDLES = "left-bundles";
  private static final String RIGHT_BUNDLES = "right-bundles";

  /** Bytes of a join key beside its own: its entry, and the buffers of its sides. */
  private static final int KEY_OVERHEAD = RowMap.ENTRY_OVERHEAD + 150;

  private final String state;
  private final JoinType type;
  private final Expression residual;
  private final List<Column> left;
  private final List<Column> right;
  private final int[] leftKeys;
  private final int[] rightKeys;
  private final int[] leftKey;
  private final int[] rightKey;

  /** Whether rows of that side are never taken back, and it needs not be known which they are. */
  private final boolean leftInserts;

  private final boolean rightInserts;

  /** Of the row of join keys; null: rows are for ever. */
  private final TimeBound time;

  /** Of an interval join: how each side is cut in time; null: not at all. */
  private final TimeBuckets leftBuckets;
  private final TimeBuckets rightBuckets;

  public JoinOperator(
      JoinSpec spec, List<List<Column>> inputs, List<Column> output, CallResolver expressions) {
    Refs refs = new Refs(spec);
    this.state = spec.state();
    this.type = JoinType.of(spec.joinType(), refs);
    this.left = List.copyOf(inputs.get(0));
    this.right = List.copyOf(inputs.get(1));
    this.leftKeys = refs.positions(spec.leftKeys(), left);
    this.rightKeys = refs.positions(spec.rightKeys(), right);
    this.leftKey = refs.positions(spec.leftKey(), left);
    this.rightKey = refs.positions(spec.rightKey(), right);
    this.leftInserts = type == JoinType.INNER && spec.leftAppendOnly();
    this.rightInserts = type == JoinType.INNER && spec.rightAppendOnly();
    RowKeys.check(refs, left, leftKeys);
    TimeBound column = TimeBound.of(spec.watermark(), refs, left, expressions);
    this.time = column == null ? null : column.at(leftKeys, refs, left);
    this.leftBuckets = TimeBuckets.ofLeft(spec.interval(), refs, inputs, expressions);
    this.rightBuckets = TimeBuckets.ofRight(spec.interval(), refs, inputs, expressions);
    RowKeys.check(refs, left, leftKey);
    RowKeys.check(refs, right, rightKey);
    DataType[] leftTypes = Projections.types(left, leftKeys);
    DataType[] rightTypes = Projections.types(right, rightKeys);
    if (leftTypes.length != rightTypes.length) {
      throw refs.invalid("needs equally many join keys of both sides");
    }
    for (int i = 0; i < leftTypes.length; i++) {
      if (!DataType.equalsStructurally(leftTypes[i], rightTypes[i], true)) {
        throw refs.invalid(
            "joins a key of type " + leftTypes[i].sql() + " with one of " + rightTypes[i].sql());
      }
    }
    List<Column> both = new ArrayList<>(left);
    both.addAll(right);
    String condition = spec.residual();
    if (condition != null && type == JoinType.INNER) {
      throw refs.invalid("is an inner join: its condition is a filter on the result");
    }
    this.residual = condition == null ? null : expressions.condition(condition, both);
    List<Column> given = type.givesPairs() ? both : left;
    int flags = type == JoinType.EXISTENCE ? 1 : 0;
    if (output.size() != given.size() + flags
        || !Arrays.equals(refs.positionsOf(output.subList(0, given.size()), given),
            Projections.all(given.size()))) {
      throw refs.invalid("must give the left columns, then the right ones or the flag, if any");
    }
  }

  @Override
  public TableMove move(String table) {
    if (BundleCount.isTable(table)) {
      return TableMove.NONE;
    }
    return List.of(LEFT_BUNDLES, RIGHT_BUNDLES).contains(table) ? new BundleMove(1)
                                                                : TableMove.BY_HASH;
  }

  @Override
  public boolean prepare(Watermarks watermarks) {
    if (time != null) {
      time.prepare(watermarks);
    }
    if (leftBuckets != null) {
      leftBuckets.prepare(watermarks);
      rightBuckets.prepare(watermarks);
    }
    return false;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    MemoryBudget budget = EngineServices.shared().collected();
    int[] columns = {left.size(), right.size()};
    if (leftInserts && rightInserts && time == null && leftBuckets == null
        && tx.table("left") == null) { // else a state that was begun row by row
      AppendedRows.Side lefts = new AppendedRows.Side(
          left, leftKeys, new BundleTable(tx, LEFT_BUNDLES, left.size(), counters));
      AppendedRows.Side rights = new AppendedRows.Side(
          right, rightKeys, new BundleTable(tx, RIGHT_BUNDLES, right.size(), counters));
      return Passes.over(inputs,
          () -> new AppendedRows(state, lefts, rights, counters), columns, budget, counters);
    }
    boolean countLeft = residual != null && type.tracks(true);
    boolean countRight = residual != null && type.tracks(false);
    JoinSide leftSide = new JoinSide(
        tx, "left", left.size(), leftKey.length, countLeft, time, leftBuckets, counters);
    JoinSide rightSide = new JoinSide(
        tx, "right", right.size(), rightKey.length, countRight, time, rightBuckets, counters);
    return Passes.over(
        inputs, () -> new NettedRows(leftSide, rightSide, counters), columns, budget, counters);
  }

  /** The changes of a barrier, or of a part of it, by join key. */
  private final class NettedRows implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowMap<JoinChanges> changes = new RowMap<>();
    private final RowKeys[] joinKeys = {
        new RowKeys(code, left, leftKeys), new RowKeys(code, right, rightKeys)};
    private final RowKeys[] streamKeys = {
        new RowKeys(code, left, leftKey), new RowKeys(code, right, rightKey)};
    private final UnsafeProjection[] values = {code.select(left, Projections.all(left.size())),
        code.select(right, Projections.all(right.size()))};
    private final boolean[] inserts = {leftInserts && FastPath.INSERTED_SIDE.isOpen(),
        rightInserts && FastPath.INSERTED_SIDE.isOpen()};
    private final int[] weights = {left.size(), right.size()};
    private final JoinSide leftSide;
    private final JoinSide rightSide;
    private final OperatorCounters counters;

    NettedRows(JoinSide leftSide, JoinSide rightSide, OperatorCounters counters) {
      this.leftSide = leftSide;
      this.rightSide = rightSide;
      this.counters = counters;
    }

    @Override
    public long add(int input, InternalRow row) {
      UnsafeRow joinKey = key(input, row);
      if (joinKey == null) {
        return 0;
      }
      long held = ChangeBuffer.CHANGE_OVERHEAD + ChangeBuffer.ROW_OVERHEAD;
      int known = changes.size();
      JoinChanges key = changes.getOrAdd(joinKey, JoinChanges::new);
      if (changes.size() > known) {
        held += KEY_OVERHEAD + joinKey.getSizeInBytes();
      }
      UnsafeRow value = values[input].apply(row);
      if (inserts[input]) {
        key.inserts(input == 0).insert(value);
      } else {
        UnsafeRow streamKey = streamKeys[input].of(row);
        key.side(input == 0).add(streamKey, row.getInt(weights[input]), value);
        held += streamKey.getSizeInBytes();
      }
      return held + value.getSizeInBytes();
    }

    @Override
    public void move(int input, InternalRow row, Passes.Target parts) {
      UnsafeRow joinKey = key(input, row);
      if (joinKey != null) {
        parts.add(input, joinKeys[input].hash(joinKey), row.getInt(weights[input]),
            values[input].apply(row));
      }
    }

    @Override
    public void moveAll(Passes.Target parts) {
      changes.forEach(changed -> {
        int hash = joinKeys[0].hash(changed.key());
        changed.left().forEach((row, weight) -> parts.add(0, hash, weight, row));
        changed.right().forEach((row, weight) -> parts.add(1, hash, weight, row));
      });
      changes.clear();
    }

    @Override
    public Iterator<InternalRow> changes() {
      if (type != JoinType.INNER) {
        return new MatchDelta(state, changes, joinKeys[0],
            new MatchSide(true, leftSide, type.tracks(true), residual != null && type.tracks(true)),
            new MatchSide(
                false, rightSide, type.tracks(false), residual != null && type.tracks(false)),
            new MatchRows(type, left, right, residual, code, counters.atHand), code, counters);
      }
      return new JoinDelta(state, changes, joinKeys[0], leftSide, rightSide, streamKeys[0],
          streamKeys[1], leftBuckets, code, Projections.types(left), Projections.types(right),
          counters);
    }

    /** The join key of a row; null if it has a null and so matches nothing that is given. */
    private UnsafeRow key(int input, InternalRow row) {
      UnsafeRow joinKey = joinKeys[input].of(row);
      if (joinKeys[input].hasNull(joinKey) && !type.keepsUnmatched(input == 0)) {
        return null;
      }
      if (inserts[input] && row.getInt(weights[input]) != 1) {
        throw RowKeys.inconsistent("join \"" + state + "\": a row of an append-only input is taken "
            + "back, under the join key " + joinKeys[input].text(joinKey));
      }
      return joinKey;
    }
  }
}
