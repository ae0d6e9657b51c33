package io.groundswell.spark.views.operator.join;

import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.Watermarks;
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
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.TimeBound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final TimePieces leftPieces;
  private final TimePieces rightPieces;

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
    this.leftPieces = TimePieces.ofLeft(spec.interval(), refs, inputs, expressions);
    this.rightPieces = TimePieces.ofRight(spec.interval(), refs, inputs, expressions);
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
    if (leftPieces != null) {
      leftPieces.prepare(watermarks);
      rightPieces.prepare(watermarks);
    }
    return false;
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    if (leftInserts && rightInserts && time == null && leftPieces == null
        && tx.table("left") == null) { // else a state that was begun row by row
      return new AppendJoin(state, tx, new AppendJoin.Side(LEFT_BUNDLES, left, leftKeys),
          new AppendJoin.Side(RIGHT_BUNDLES, right, rightKeys), code, inputs, counters);
    }
    Map<UnsafeRow, JoinChanges> changes = new LinkedHashMap<>();
    RowKeys joinKeys = new RowKeys(code, left, leftKeys);
    collect(code, inputs.get(0), left, joinKeys, leftKey, true, changes, counters);
    RowKeys ofRight = new RowKeys(code, right, rightKeys);
    collect(code, inputs.get(1), right, ofRight, rightKey, false, changes, counters);
    boolean countLeft = residual != null && type.tracks(true);
    boolean countRight = residual != null && type.tracks(false);
    JoinSide leftSide = new JoinSide(
        tx, "left", left.size(), leftKey.length, countLeft, time, leftPieces, counters);
    JoinSide rightSide = new JoinSide(
        tx, "right", right.size(), rightKey.length, countRight, time, rightPieces, counters);
    if (type != JoinType.INNER) {
      return new MatchDelta(state, changes, joinKeys,
          new MatchSide(true, leftSide, type.tracks(true), countLeft),
          new MatchSide(false, rightSide, type.tracks(false), countRight),
          new MatchRows(type, left, right, residual, code, counters.atHand), code, counters);
    }
    return new JoinDelta(state, changes, joinKeys, leftSide, rightSide,
        new RowKeys(code, left, leftKey), new RowKeys(code, right, rightKey), leftPieces, code,
        Projections.types(left), Projections.types(right), counters);
  }

  private void collect(Projections code, Iterator<InternalRow> rows, List<Column> columns,
      RowKeys joinKeys, int[] streamKey, boolean isLeft, Map<UnsafeRow, JoinChanges> changes,
      OperatorCounters counters) {
    RowKeys streamKeys = new RowKeys(code, columns, streamKey);
    UnsafeProjection values = code.select(columns, Projections.all(columns.size()));
    int weight = columns.size();
    boolean inserts = isLeft ? leftInserts : rightInserts;
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      counters.rowsIn++;
      UnsafeRow joinKey = joinKeys.of(row);
      if (joinKeys.hasNull(joinKey) && !type.keepsUnmatched(isLeft)) {
        continue;
      }
      JoinChanges key = changes.get(joinKey);
      if (key == null) {
        key = new JoinChanges();
        changes.put(joinKey.copy(), key);
      }
      if (!inserts) {
        key.side(isLeft).add(streamKeys.of(row), row.getInt(weight), values.apply(row));
      } else if (row.getInt(weight) == 1) {
        key.inserts(isLeft).insert(values.apply(row));
      } else {
        throw RowKeys.inconsistent("join \"" + state + "\": a row of an append-only input is taken "
            + "back, under the join key " + joinKeys.text(joinKey));
      }
    }
  }
}
