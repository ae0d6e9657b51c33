package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Or;

/**
 * Conditions that every reader of some rows asks for. A reader of texts may give a row of nulls for
 * a row that does not meet one of them, and need not look at the rest of that text.
 *
 * <p>None can fail, each gives the same for the same row, and none holds for a row of nulls: so the
 * readers' own filters drop that row, and all rows are still counted and numbered.
 *
 * @param conditions over the fields of the rows, by position
 */
public record PushedFilters(List<Expression> conditions) implements Serializable {
  public static final PushedFilters NONE = new PushedFilters(List.of());

  private static final long serialVersionUID = 1L;

  /**
   * @param conditions that can be evaluated for any row; those that hold for nulls are left out
   */
  public static PushedFilters of(List<Expression> conditions) {
    return new PushedFilters(
        conditions.stream().filter(each -> !fields(each).isEmpty() && rejectsNulls(each)).toList());
  }

  private static boolean rejectsNulls(Expression condition) {
    int width = fields(condition).stream().mapToInt(Integer::intValue).max().orElse(0) + 1;
    InternalRow nulls = new GenericInternalRow(new Object[width]);
    return !Boolean.TRUE.equals(condition.eval(nulls));
  }

  /** The fields that a condition reads. */
  static Set<Integer> fields(Expression condition) {
    Set<Integer> fields = new LinkedHashSet<>();
    condition.foreach(Scala.mapping(part -> {
      if (part instanceof BoundReference field) {
        fields.add(field.ordinal());
      }
      return null;
    }));
    return fields;
  }

  public boolean isEmpty() {
    return conditions.isEmpty();
  }

  /** What is asked for by both of two readers: a row may go that neither wants. */
  public PushedFilters or(PushedFilters other) {
    return isEmpty() || other.isEmpty() ? NONE
        : equals(other)                 ? this
                                        : new PushedFilters(List.of(new Or(all(), other.all())));
  }

  private Expression all() {
    return conditions.stream().reduce(And::new).orElseThrow();
  }

  /**
   * The conditions over other rows.
   *
   * @param places of the fields in them; -1: they do not have it, so its conditions are left out
   */
  PushedFilters over(int[] places) {
    List<Expression> moved = new ArrayList<>();
    for (Expression condition : conditions) {
      if (fields(condition).stream().allMatch(field -> places[field] >= 0)) {
        moved.add(condition.transformUp(Scala.rule(part
            -> part instanceof BoundReference field
                ? new BoundReference(places[field.ordinal()], field.dataType(), true)
                : part)));
      }
    }
    return moved.isEmpty() ? NONE : new PushedFilters(moved);
  }
}
