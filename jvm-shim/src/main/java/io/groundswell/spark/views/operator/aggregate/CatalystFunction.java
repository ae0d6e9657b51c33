package io.groundswell.spark.views.operator.aggregate;

import io.groundswell.spark.shims.AggregateInputs;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.facts.Facts.Retractable;
import io.groundswell.spark.views.facts.FactsTable;
import io.groundswell.spark.views.operator.spi.Refs;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.MutableProjection;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;

/**
 * An aggregate function of Spark's, bound to rows of its inputs (see {@link AggregateInputs}).
 *
 * @param initial the first buffer; empty if imperative
 * @param update the next buffer over (buffer, inputs); empty if imperative
 * @param result the value over a buffer; null if imperative
 * @param buffer types of the buffer's fields
 * @param imperative null if declarative
 * @param keepsBuffer whether the value does not depend on the order of the inputs, so that inputs
 *     that only come may be added to a stored buffer
 */
record CatalystFunction(List<Expression> initial, List<Expression> update, Expression result,
    List<DataType> buffer, ImperativeAggregate imperative, DataType type, boolean keepsBuffer)
    implements Serializable {
  static CatalystFunction of(Refs refs, AggregateFunction called) {
    AggregateFunction function = AggregateInputs.bound(called);
    List<AttributeReference> fields = new ArrayList<>(Scala.list(function.aggBufferAttributes()));
    List<DataType> types = fields.stream().map(AttributeReference::dataType).toList();
    if (function instanceof ImperativeAggregate imperative) {
      ImperativeAggregate alone =
          imperative.withNewMutableAggBufferOffset(0).withNewInputAggBufferOffset(0);
      return new CatalystFunction(
          List.of(), List.of(), null, types, alone, called.dataType(), keepsBuffer(called));
    }
    if (!(function instanceof DeclarativeAggregate declarative)) {
      throw refs.invalid("calls " + called.prettyName() + ", which Spark does not compute itself");
    }
    return new CatalystFunction(Scala.list(declarative.initialValues()),
        Scala.list(declarative.updateExpressions()).stream().map(e -> bind(e, fields)).toList(),
        bind(declarative.evaluateExpression(), fields), types, null, called.dataType(),
        keepsBuffer(called));
  }

  private static boolean keepsBuffer(AggregateFunction called) {
    Retractable how = FactsTable.of(called).retractable();
    return how == Retractable.EXACT || how == Retractable.BUFFER;
  }

  /** Over a row of the buffer's fields and, after them, the inputs. */
  private static Expression bind(Expression expression, List<AttributeReference> fields) {
    return expression.transformUp(Scala.<Expression>rule(node -> {
      if (node instanceof BoundReference input) {
        return new BoundReference(
            fields.size() + input.ordinal(), input.dataType(), input.nullable());
      }
      for (int i = 0; i < fields.size(); i++) {
        AttributeReference field = fields.get(i);
        if (node instanceof AttributeReference read && read.exprId().equals(field.exprId())) {
          return new BoundReference(i, field.dataType(), field.nullable());
        }
      }
      return node;
    }));
  }

  Evaluator evaluator() {
    return new Evaluator();
  }

  /** Computes the function in one task. Not thread-safe. */
  final class Evaluator {
    private final MutableProjection first = imperative == null ? projection(initial) : null;
    private final MutableProjection next = imperative == null ? projection(update) : null;
    private final MutableProjection last = imperative == null ? projection(List.of(result)) : null;
    private final UnsafeProjection value = UnsafeProjection.create(new DataType[] {type});
    private final UnsafeProjection stored =
        isTyped() ? null : UnsafeProjection.create(buffer.toArray(DataType[] ::new));
    private final JoinedRow joined = new JoinedRow();

    private static MutableProjection projection(List<Expression> expressions) {
      return MutableProjection.create(Scala.seq(expressions));
    }

    private boolean isTyped() {
      return imperative instanceof TypedImperativeAggregate;
    }

    InternalRow begin() {
      InternalRow row = new SpecificInternalRow(Scala.seq(buffer));
      if (imperative != null) {
        imperative.initialize(row);
      } else {
        first.target(row).apply(InternalRow.empty());
      }
      return row;
    }

    /** Adds inputs whose bytes nobody changes. */
    void update(InternalRow row, InternalRow inputs) {
      if (imperative != null) {
        imperative.update(row, inputs);
      } else {
        next.target(row).apply(joined.apply(row, inputs));
      }
    }

    /** The function's value in a row of its own: equal values have equal bytes. */
    UnsafeRow result(InternalRow row) {
      InternalRow given = imperative != null
          ? new org.apache.spark.sql.catalyst.expressions.GenericInternalRow(
                new Object[] {imperative.eval(row)})
          : last.apply(row);
      return value.apply(given).copy();
    }

    Object value(UnsafeRow result) {
      return result.isNullAt(0) ? null : result.get(0, type);
    }

    @SuppressWarnings("unchecked")
    byte[] write(InternalRow row) {
      if (imperative instanceof TypedImperativeAggregate<?> typed) {
        return ((TypedImperativeAggregate<Object>) typed).serialize(row.get(0, buffer.get(0)));
      }
      return stored.apply(row).getBytes();
    }

    InternalRow read(byte[] bytes) {
      InternalRow row = new SpecificInternalRow(Scala.seq(buffer));
      if (imperative instanceof TypedImperativeAggregate<?> typed) {
        row.update(0, typed.deserialize(bytes));
        return row;
      }
      UnsafeRow from = new UnsafeRow(buffer.size());
      from.pointTo(bytes, bytes.length);
      for (int i = 0; i < buffer.size(); i++) {
        row.update(i, from.isNullAt(i) ? null : from.get(i, buffer.get(i)));
      }
      return row;
    }
  }
}
