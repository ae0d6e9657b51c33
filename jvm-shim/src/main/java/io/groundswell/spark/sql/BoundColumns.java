package io.groundswell.spark.sql;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataType;

/** The values that conditions leave to single columns: {@code a = 1}, {@code a IN (1, 2)}. */
final class BoundColumns {
  /** Values of one type, as rows have them. */
  private record Values(DataType type, List<Object> values) {}

  private final Map<String, Values> bound = new HashMap<>();

  private BoundColumns() {}

  static BoundColumns of(List<Expression> conditions) {
    BoundColumns columns = new BoundColumns();
    conditions.forEach(columns::add);
    return columns;
  }

  private void add(Expression condition) {
    if (condition instanceof And both) {
      add(both.left());
      add(both.right());
    } else if (condition instanceof EqualTo equal) {
      note(equal.left(), List.of(equal.right()));
      note(equal.right(), List.of(equal.left()));
    } else if (condition instanceof In in) {
      note(in.value(), Scala.list(in.list()));
    } else if (condition instanceof InSet in && in.child() instanceof AttributeReference column) {
      note(column, new LinkedHashSet<>(Scala.list(in.hset())));
    }
  }

  private void note(Expression column, List<Expression> given) {
    Set<Object> literals = new LinkedHashSet<>();
    for (Expression each : given) {
      if (!(each instanceof Literal literal) || !literal.dataType().equals(column.dataType())) {
        return;
      }
      literals.add(literal.value());
    }
    if (column instanceof AttributeReference named) {
      note(named, literals);
    }
  }

  private void note(AttributeReference column, Set<Object> given) {
    if (!given.contains(null)) {
      bound.putIfAbsent(column.name(), new Values(column.dataType(), List.copyOf(given)));
    }
  }

  /**
   * The keys of a state that the conditions leave; none if they do not bind its key. An index is
   * bound by its first columns.
   */
  List<Object[]> keys(ViewState state, int most) {
    List<Object[]> keys = new ArrayList<>(List.of(new Object[][] {new Object[0]}));
    for (String column : state.by()) {
      List<Object> given = column.isEmpty() ? null : fitting(state, column);
      if (given == null) {
        if (state.isIndex() && keys.get(0).length > 0) {
          return keys;
        }
        return List.of();
      }
      List<Object[]> longer = new ArrayList<>();
      for (Object[] key : keys) {
        for (Object value : given) {
          Object[] next = Arrays.copyOf(key, key.length + 1);
          next[key.length] = value;
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

  private List<Object> fitting(ViewState state, String column) {
    Values given = bound.get(column);
    boolean fits = given != null && state.schema().getFieldIndex(column).isDefined()
        && given.type().equals(state.schema().apply(column).dataType());
    return fits ? given.values() : null;
  }
}
