package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;

/**
 * Which fields of a struct are read.
 *
 * @param whole all of them, and those of structs inside
 * @param fields by position, if not all; a struct without any is only asked whether it is there
 */
record Uses(boolean whole, Map<Integer, Uses> fields) implements Serializable {
  static final Uses WHOLE = new Uses(true, Map.of());
  static final Uses NONE = new Uses(false, Map.of());

  private static final long serialVersionUID = 1L;

  /** What a field is read for; null: it is not read. */
  Uses of(int field) {
    return whole ? WHOLE : fields.get(field);
  }

  Uses and(Uses other) {
    if (whole || other.whole) {
      return WHOLE;
    }
    Map<Integer, Uses> all = new TreeMap<>(fields);
    other.fields.forEach((field, use) -> all.merge(field, use, Uses::and));
    return new Uses(false, all);
  }

  /** What {@code expression} reads of the values that {@code struct} compares equal to. */
  static Uses in(Expression expression, Expression struct) {
    if (expression.semanticEquals(struct)) {
      return WHOLE;
    }
    if (expression instanceof IsNull || expression instanceof IsNotNull) {
      Expression asked = expression.children().head();
      Uses use = of(asked, struct, NONE);
      if (use != null) {
        return use;
      }
    }
    Uses use = of(expression, struct, WHOLE);
    if (use != null) {
      return use;
    }
    Uses all = NONE;
    for (Expression child : Scala.list(expression.children())) {
      all = all.and(in(child, struct));
    }
    return all;
  }

  /** Of a path of fields that begins at the struct; null: it is none. */
  private static Uses of(Expression path, Expression struct, Uses end) {
    if (path.semanticEquals(struct)) {
      return end;
    }
    return path instanceof GetStructField field
        ? of(field.child(), struct, new Uses(false, Map.of(field.ordinal(), end)))
        : null;
  }

  static Uses in(List<Expression> expressions, Expression struct) {
    return expressions.stream().map(each -> in(each, struct)).reduce(NONE, Uses::and);
  }
}
