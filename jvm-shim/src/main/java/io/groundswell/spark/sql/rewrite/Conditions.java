package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThan;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.util.TypeUtils$;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Conditions that hold together, and what follows from them. A test that says no may be wrong: then
 * a view is not used. One that says yes is a proof.
 */
final class Conditions {
  private final List<Expression> given;
  private final Map<ExprId, Attribute> representatives = new HashMap<>();
  private final List<Expression> normal = new ArrayList<>();

  Conditions(List<Expression> given) {
    this.given = given;
    for (Expression each : given) {
      if (each instanceof EqualTo equal && equal.left() instanceof Attribute left
          && equal.right() instanceof Attribute right && isExact(left.dataType())
          && left.dataType().equals(right.dataType())) {
        unite(left, right);
      }
    }
    given.forEach(each -> normal.add(normal(each)));
  }

  List<Expression> given() {
    return given;
  }

  /** Those that do not follow from the others' ones. */
  List<Expression> beyond(Conditions other) {
    return given.stream().filter(each -> !other.imply(each)).toList();
  }

  /** Whether a condition holds wherever these hold. */
  boolean imply(Expression condition) {
    Expression wanted = normal(condition);
    if (normal.stream().anyMatch(wanted::semanticEquals)) {
      return true; // it is one of them, or the same of equal columns
    } else if (wanted instanceof EqualTo equal && equal.left().semanticEquals(equal.right())) {
      return isNotNull(equal.left()); // both sides are columns that are equal
    } else if (wanted instanceof IsNotNull present) {
      return isNotNull(present.child());
    } else if (wanted instanceof Or or) {
      return imply(or.left()) || imply(or.right());
    }
    return normal.stream().anyMatch(
        each -> bounds(each, wanted) || values(each).filter(v -> meet(v, wanted)).isPresent());
  }

  /** Columns that have the same value as one, in every byte. */
  boolean equal(Attribute one, Attribute other) {
    return representative(one).exprId().equals(representative(other).exprId());
  }

  /** A condition whose result is null where a part of it is null holds only where it is not. */
  private boolean isNotNull(Expression value) {
    return !value.nullable() || normal.stream().anyMatch(each -> holdsOnlyIfPresent(each, value));
  }

  private static boolean holdsOnlyIfPresent(Expression condition, Expression value) {
    if (condition.semanticEquals(value)) {
      return true;
    }
    boolean strict = condition.nullIntolerant() || condition instanceof IsNotNull;
    if (condition instanceof In || condition instanceof InSet) {
      return holdsOnlyIfPresent(condition.children().head(), value);
    }
    return strict
        && Scala.list(condition.children())
               .stream()
               .anyMatch(child -> holdsOnlyIfPresent(child, value));
  }

  /** A range lies in another of the same expression: x > 5 implies x > 3. */
  private static boolean bounds(Expression given, Expression wanted) {
    Range narrow = Range.of(given);
    Range wide = Range.of(wanted);
    return narrow != null && wide != null && narrow.liesIn(wide);
  }

  /** The few values that a condition leaves to an expression. */
  private record Values(Expression of, List<Literal> values) {}

  private static Optional<Values> values(Expression condition) {
    if (condition instanceof EqualTo equal && equal.right() instanceof Literal literal) {
      return Optional.of(new Values(equal.left(), List.of(literal)));
    } else if (condition instanceof EqualTo equal && equal.left() instanceof Literal literal) {
      return Optional.of(new Values(equal.right(), List.of(literal)));
    } else if (condition instanceof In in
        && Scala.list(in.list()).stream().allMatch(each -> each instanceof Literal)) {
      return Optional.of(new Values(
          in.value(), Scala.list(in.list()).stream().map(each -> (Literal) each).toList()));
    } else if (condition instanceof InSet in) {
      DataType type = in.child().dataType();
      return Optional.of(new Values(in.child(),
          Stream.of(scala.jdk.javaapi.CollectionConverters.asJava(in.hset()).toArray())
              .map(each -> new Literal(each, type))
              .toList()));
    }
    return Optional.empty();
  }

  /** Whether a condition over one expression holds for each of the values; it is computed. */
  private static boolean meet(Values values, Expression wanted) {
    if (!isExact(values.of.dataType())) {
      return false;
    }
    for (Literal value : values.values) {
      if (value.value() == null) {
        continue; // no row has it: nothing equals null
      }
      Expression fixed =
          wanted.transformDown(Scala.rule(part -> part.semanticEquals(values.of) ? value : part));
      if (!fixed.references().isEmpty() || !Boolean.TRUE.equals(evaluated(fixed))) {
        return false;
      }
    }
    return true;
  }

  private static Object evaluated(Expression constant) {
    try {
      return constant.eval(null);
    } catch (RuntimeException e) { // it cannot be evaluated: nothing is proved
      return null;
    }
  }

  /**
   * What an order of values leaves of an expression.
   *
   * @param of the expression
   * @param at the bound
   * @param above whether values are above it, else below
   * @param inclusive whether the bound is one of them
   */
  private record Range(Expression of, Literal at, boolean above, boolean inclusive) {
    static Range of(Expression condition) {
      if (!(condition instanceof BinaryComparison comparison)
          || !isExact(comparison.left().dataType())) {
        return null;
      }
      boolean greater =
          comparison instanceof GreaterThan || comparison instanceof GreaterThanOrEqual;
      boolean less = comparison instanceof LessThan || comparison instanceof LessThanOrEqual;
      boolean inclusive =
          comparison instanceof GreaterThanOrEqual || comparison instanceof LessThanOrEqual;
      if (!greater && !less) {
        return null;
      } else if (comparison.right() instanceof Literal at && at.value() != null) {
        return new Range(comparison.left(), at, greater, inclusive);
      } else if (comparison.left() instanceof Literal at && at.value() != null) {
        return new Range(comparison.right(), at, less, inclusive);
      }
      return null;
    }

    boolean liesIn(Range wide) {
      if (above != wide.above || !at.dataType().equals(wide.at.dataType())
          || !of.semanticEquals(wide.of)) {
        return false;
      }
      int order = TypeUtils$.MODULE$.getInterpretedOrdering(at.dataType())
                      .compare(at.value(), wide.at.value());
      int further = above ? order : -order;
      return further > 0 || (further == 0 && (wide.inclusive || !inclusive));
    }
  }

  /** Whether values that are equal are the same in every byte: not those of doubles. */
  static boolean isExact(DataType type) {
    return type instanceof IntegralType || type instanceof DecimalType
        || type instanceof BooleanType || type instanceof DateType || type instanceof TimestampType
        || type instanceof TimestampNTZType
        || (type instanceof StringType text && text.isUTF8BinaryCollation());
  }

  private Expression normal(Expression condition) {
    Map<ExprId, Expression> others = new HashMap<>();
    representatives.keySet().forEach(id -> others.put(id, representative(representatives.get(id))));
    return SelectBlock.replaced(condition, others);
  }

  private void unite(Attribute left, Attribute right) {
    Attribute from = representative(left);
    Attribute to = representative(right);
    if (!from.exprId().equals(to.exprId())) {
      representatives.put(from.exprId(), to);
    }
  }

  private Attribute representative(Attribute attribute) {
    Attribute at = attribute;
    while (representatives.containsKey(at.exprId())) {
      at = representatives.get(at.exprId());
    }
    return at;
  }
}
