package io.groundswell.spark.views.capture;

import io.groundswell.spark.shims.Catalyst;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * The barriers' clock plus microseconds, while a query is optimised. It has no value then, so that
 * no rule folds it, gives it another type or tells by it which rows are left.
 */
final class ClockMark extends Expression implements Unevaluable {
  private static final long serialVersionUID = 1;

  private final long offset;

  ClockMark(long offset) {
    this.offset = offset;
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
    return offset == 0 ? "now()" : "now() + " + offset + " us";
  }

  @Override
  public String toString() {
    return sql();
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int index) {
    return offset;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof ClockMark;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClockMark mark && mark.offset == offset;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(offset);
  }
}
