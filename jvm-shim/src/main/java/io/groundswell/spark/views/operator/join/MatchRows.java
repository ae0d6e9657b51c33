package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.ErrorContext;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Predicate$;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * The rows that a join of two sides gives: pairs, and rows of one side that stand for themselves.
 * What is given before and after a change has a buffer each, so both may be in use.
 */
public final class MatchRows {
  /** Pairs, for one of the two rows of a change. */
  public static final class Pairs {
    private final UnsafeRowJoiner joiner;
    private final BasePredicate residual;
    private final ErrorContext atHand;
    private UnsafeRow pair;

    private Pairs(UnsafeRowJoiner joiner, BasePredicate residual, ErrorContext atHand) {
      this.joiner = joiner;
      this.residual = residual;
      this.atHand = atHand;
    }

    /** Puts a row of one side beside one of the other; false if they are no match. */
    public boolean join(boolean left, UnsafeRow row, UnsafeRow opposite) {
      pair = left ? joiner.join(row, opposite) : joiner.join(opposite, row);
      if (residual == null) {
        return true;
      }
      atHand.set(pair);
      return residual.eval(pair);
    }

    public UnsafeRow pair() {
      return pair;
    }

    /** A pair that was found to be one before. */
    public UnsafeRow joined(UnsafeRow row, UnsafeRow opposite) {
      return joiner.join(row, opposite);
    }
  }

  public final Pairs before;
  public final Pairs after;
  private final JoinType type;
  private final DataType[] types;
  private final boolean hasResidual;
  private final UnsafeRow noLeft;
  private final UnsafeRow noRight;
  private final UnsafeRowJoiner flagBefore;
  private final UnsafeRowJoiner flagAfter;
  private final UnsafeRow[] flags;

  /**
   * @param residual what else must hold of a pair, bound to the columns of both sides; or null
   * @param atHand is told of the pairs that it is asked of
   */
  public MatchRows(JoinType type, List<Column> left, List<Column> right, Expression residual,
      Projections code, ErrorContext atHand) {
    DataType[] lefts = Projections.types(left);
    DataType[] rights = Projections.types(right);
    this.type = type;
    this.hasResidual = residual != null;
    BasePredicate predicate = residual == null ? null : Predicate$.MODULE$.create(residual);
    if (predicate != null) {
      predicate.initialize(0);
      atHand.is("pair of rows", Stream.concat(left.stream(), right.stream()).toList());
    }
    this.before = new Pairs(code.joiner(lefts, rights), predicate, atHand);
    this.after = new Pairs(code.joiner(lefts, rights), predicate, atHand);
    this.noLeft = nulls(lefts.length);
    this.noRight = nulls(rights.length);
    if (type == JoinType.EXISTENCE) {
      DataType[] flag = {DataTypes.BooleanType};
      this.flagBefore = code.joiner(lefts, flag);
      this.flagAfter = code.joiner(lefts, flag);
      this.flags = new UnsafeRow[] {nulls(1), nulls(1)};
      flags[0].setBoolean(0, false);
      flags[1].setBoolean(0, true);
    } else {
      this.flagBefore = null;
      this.flagAfter = null;
      this.flags = null;
    }
    Stream<DataType> more = type.givesPairs() ? Stream.of(rights)
        : type == JoinType.EXISTENCE          ? Stream.of(DataTypes.BooleanType)
                                              : Stream.empty();
    this.types = Stream.concat(Stream.of(lefts), more).toArray(DataType[] ::new);
  }

  private static UnsafeRow nulls(int columns) {
    UnsafeRow row = new UnsafeRow(columns);
    int size = UnsafeRow.calculateBitSetWidthInBytes(columns) + columns * Long.BYTES;
    row.pointTo(new byte[size], size);
    for (int i = 0; i < columns; i++) {
      row.setNullAt(i);
    }
    return row;
  }

  /** Types of the rows given. */
  public DataType[] types() {
    return types;
  }

  boolean hasResidual() {
    return hasResidual;
  }

  public boolean givesPairs() {
    return type.givesPairs();
  }

  /** What a row of one side stood for by itself: null if nothing. */
  public UnsafeRow unitBefore(boolean left, UnsafeRow row, boolean matched) {
    return unit(left, row, matched, before, flagBefore);
  }

  /** What a row of one side stands for by itself: null if nothing. */
  public UnsafeRow unitAfter(boolean left, UnsafeRow row, boolean matched) {
    return unit(left, row, matched, after, flagAfter);
  }

  private UnsafeRow unit(
      boolean left, UnsafeRow row, boolean matched, Pairs pairs, UnsafeRowJoiner flag) {
    return switch (type) {
      case INNER -> null;
      case LEFT_OUTER, FULL_OUTER ->
        matched ? null : left ? pairs.joiner.join(row, noRight) : pairs.joiner.join(noLeft, row);
      case LEFT_SEMI -> matched ? row : null;
      case LEFT_ANTI -> matched ? null : row;
      case EXISTENCE -> flag.join(row, flags[matched ? 1 : 0]);
    };
  }
}
