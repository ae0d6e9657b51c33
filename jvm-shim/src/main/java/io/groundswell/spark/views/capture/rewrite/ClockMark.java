package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Catalyst;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * The barriers' clock plus microseconds, or what {@code made} makes of it and microseconds, while a
 * query is optimised. It has no value then, so that
 * no rule folds it, gives it another type or tells by it which rows are left.
 */
final class ClockMark extends Expression implements Unevaluable {
  private static final long serialVersionUID = 1;

  /** Stands for the clock in what is made of it. */
  static final AttributeReference CLOCK =
      Catalyst.attribute("now()", DataTypes.TimestampType, false, Catalyst.newExprId());

  private final Expression made;
  private final long offset;

  /**
   * @param made of {@link #CLOCK}, never less when it is later; null: the clock itself
   */
  ClockMark(Expression made, long offset) {
    this.made = made;
    this.offset = offset;
  }

  Expression made() {
    return made;
  }

  long offset() {
    return offset;
  }

  @Override
  public Seq<Expression> children() {
    return Catalyst.nil();
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> none) {
    return this;
  }

  @Override
  public DataType dataType() {
    return DataTypes.TimestampType;
  }

  @Override
  public boolean nullable() {
    return false;
  }

  @Override
  public boolean foldable() {
    return false;
  }

  @Override
  public Object eval(InternalRow row) {
    throw new UnsupportedOperationException("the clock has no time while a query is planned");
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    throw new UnsupportedOperationException("the clock has no time while a query is planned");
  }

  @Override
  public String sql() {
    String time = made == null ? "now()" : made.sql().replace("`", "");
    return offset == 0 ? time : time + " + " + offset + " us";
  }

  @Override
  public String toString() {
    return sql();
  }

  @Override
  public int productArity() {
    return 2;
  }

  @Override
  public Object productElement(int index) {
    return index == 0 ? made : Long.valueOf(offset);
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof ClockMark;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClockMark mark && mark.offset == offset
        && Objects.equals(mark.made, made);
  }

  @Override
  public int hashCode() {
    return Objects.hash(made, offset);
  }
}
