package io.groundswell.spark.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;

/** The values that conditions leave to single columns: {@code a = 1}, {@code a IN (1, 2)}. */
final class BoundColumns {
  private final Map<String, List<Literal<?>>> values = new HashMap<>();

  private BoundColumns() {}

  static BoundColumns of(Predicate[] predicates) {
    BoundColumns bound = new BoundColumns();
    for (Predicate predicate : predicates) {
      bound.add(predicate);
    }
    return bound;
  }

  private void add(Predicate predicate) {
    Expression[] parts = predicate.children();
    switch (predicate.name()) {
      case "=" -> {
        if (!note(parts[0], List.of(parts[1]))) {
          note(parts[1], List.of(parts[0]));
        }
      }
      case "IN" -> note(parts[0], List.of(parts).subList(1, parts.length));
      case "AND" -> {
        for (Expression part : parts) {
          if (part instanceof Predicate condition) {
            add(condition);
          }
        }
      }
      default -> {
      }
    }
  }

  private boolean note(Expression column, List<Expression> given) {
    if (!(column instanceof NamedReference name) || name.fieldNames().length != 1) {
      return false;
    }
    List<Literal<?>> literals = new ArrayList<>();
    for (Expression each : given) {
      if (!(each instanceof Literal<?> literal)) {
        return false;
      }
      literals.add(literal);
    }
    values.putIfAbsent(name.fieldNames()[0], literals);
    return true;
  }

  /**
   * The keys of a state that the conditions leave; none if they do not bind its key. An index is
   * bound by its first columns.
   */
  List<Object[]> keys(ViewState state, int most) {
    List<Object[]> keys = new ArrayList<>(List.of(new Object[][] {new Object[0]}));
    for (String column : state.by()) {
      List<Literal<?>> given = column.isEmpty() ? null : fitting(state, column);
      if (given == null) {
        if (state.isIndex() && keys.get(0).length > 0) {
          return keys;
        }
        return List.of();
      }
      List<Object[]> longer = new ArrayList<>();
      for (Object[] key : keys) {
        for (Literal<?> value : given) {
          Object[] next = java.util.Arrays.copyOf(key, key.length + 1);
          next[key.length] = value.value();
          longer.add(next);
        }
      }
      if (longer.size() > most) {
        return List.of();
      }
      keys = longer;
    }
    return keys.get(0).length == 0 ? List.of() : keys;
  }

  private List<Literal<?>> fitting(ViewState state, String column) {
    List<Literal<?>> given = values.get(column);
    if (given == null || !state.schema().getFieldIndex(column).isDefined()) {
      return null;
    }
    DataType type = state.schema().apply(column).dataType();
    boolean fits = given.stream().allMatch(v -> v.value() != null && v.dataType().equals(type));
    return fits ? List.copyOf(new java.util.LinkedHashSet<>(given)) : null;
  }
}
