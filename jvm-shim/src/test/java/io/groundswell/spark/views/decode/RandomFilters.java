package io.groundswell.spark.views.decode;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Conditions over the columns of a schema, with values that its rows have. */
final class RandomFilters {
  private final Random random;
  private final StructType schema;
  private final List<InternalRow> rows;

  /**
   * @param rows of the schema
   */
  RandomFilters(Random random, StructType schema, List<InternalRow> rows) {
    this.random = random;
    this.schema = schema;
    this.rows = rows;
  }

  /** None to three conditions over the fields that are read. */
  PushedFilters some(Uses uses) {
    List<Integer> fields = new ArrayList<>();
    for (int i = 0; i < schema.length(); i++) {
      if (uses.of(i) != null) {
        fields.add(i);
      }
    }
    List<Expression> conditions = new ArrayList<>();
    for (int n = fields.isEmpty() ? 0 : random.nextInt(4); n > 0; n--) {
      Expression one = condition(fields);
      conditions.add(random.nextInt(4) == 0 ? new Or(one, condition(fields)) : one);
    }
    return PushedFilters.of(conditions);
  }

  private Expression condition(List<Integer> fields) {
    int ordinal = fields.get(random.nextInt(fields.size()));
    DataType type = schema.apply(ordinal).dataType();
    BoundReference field = new BoundReference(ordinal, type, true);
    InternalRow row = rows.isEmpty() ? null : rows.get(random.nextInt(rows.size()));
    if (!(type instanceof AtomicType) || row == null || row.isNullAt(ordinal)) {
      return random.nextInt(4) == 0 ? new IsNull(field) : new IsNotNull(field);
    }
    Literal value = Literal.create(row.get(ordinal, type), type);
    return switch (random.nextInt(4)) {
      case 0 -> new EqualTo(field, value);
      case 1 -> new LessThan(field, value);
      case 2 -> new Not(new EqualTo(field, value));
      default -> new EqualNullSafe(field, value);
    };
  }

  /** Whether a row is wanted. */
  static boolean takes(PushedFilters filters, InternalRow row) {
    return filters.conditions().stream().allMatch(each -> Boolean.TRUE.equals(each.eval(row)));
  }
}
