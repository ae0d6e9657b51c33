package io.groundswell.spark.views.capture.describe;

import com.google.common.hash.Hashing;
import io.groundswell.spark.shims.Scala;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionWithRandomSeed;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedLambdaVariable;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType$;
import scala.Enumeration;
import scala.Option;
import scala.Product;

/**
 * What the SQL text of an expression leaves out: schemas and options of parsers, time zones, ANSI
 * mode, code of functions, types of constants. Two expressions over the same columns are equal if
 * their SQL texts and these are; both are the same in every run.
 *
 * <p>Arguments as Spark has them when nobody says otherwise (true, 0, ANSI) are left out, so that
 * most expressions have none.
 */
final class HiddenArguments {
  private final StringJoiner found = new StringJoiner(" ");
  private final Map<ExprId, Integer> variables = new HashMap<>();
  private int parts;

  private HiddenArguments() {}

  /**
   * Empty if there are none; otherwise which part of the expression, counted from its root, has
   * which.
   */
  static String of(Expression expression) {
    HiddenArguments all = new HiddenArguments();
    all.visit(expression);
    return all.found.toString();
  }

  private void visit(Expression part) {
    int number = parts++;
    List<String> arguments = arguments(part);
    if (arguments.stream().anyMatch(each -> !each.isEmpty())) {
      found.add(number + " " + part.prettyName() + "(" + String.join(",", arguments) + ")");
    }
    for (Expression child : Scala.list(part.children())) {
      if (!(part instanceof ExpressionWithRandomSeed random && child == random.seedExpression())) {
        visit(child);
      }
    }
  }

  private List<String> arguments(Expression part) {
    if (part instanceof Attribute || part instanceof Alias || part instanceof AggregateExpression
        || part instanceof ExpressionWithRandomSeed) {
      return List.of();
    } else if (part instanceof NamedLambdaVariable variable) {
      // SQL calls all of them alike, and names are Catalyst's: they are told by where they come up
      Integer known = variables.putIfAbsent(variable.exprId(), variables.size());
      return List.of(shown(known == null ? variables.size() - 1 : known));
    } else if (part instanceof Literal literal) {
      return isPlain(literal.dataType()) ? List.of()
                                         : List.of(literal.dataType().sql(), text(literal.value()));
    } else if (part instanceof Cast cast) {
      return List.of(cast.needsTimeZone() ? text(cast.timeZoneId()) : "", shown(cast.evalMode()));
    } else if (part instanceof ScalaUDF udf) {
      return List.of(fingerprint(udf.function()), udf.dataType().sql());
    }
    return elements(part.productIterator()).map(HiddenArguments::shown).toList();
  }

  /** With those that are null. */
  private static Stream<Object> elements(scala.collection.Iterator<?> all) {
    Stream.Builder<Object> result = Stream.builder();
    while (all.hasNext()) {
      result.add(all.next());
    }
    return result.build();
  }

  /** Types whose constants SQL writes with value and type. */
  private static boolean isPlain(DataType type) {
    return (type instanceof NumericType && !(type instanceof DecimalType))
        || type.equals(StringType$.MODULE$) || type instanceof BooleanType
        || type instanceof BinaryType || type instanceof DateType;
  }

  private static String shown(Object argument) {
    return isUsual(argument) ? "" : text(argument);
  }

  private static boolean isUsual(Object argument) {
    if (isChild(argument)) {
      return true;
    } else if (argument instanceof DataType) {
      return false; // some are products, some are collections
    } else if (argument instanceof Option<?> option) {
      return option.isEmpty() || isUsual(option.get());
    } else if (argument instanceof Number number) {
      return number.doubleValue() == 0;
    } else if (argument instanceof scala.collection.Iterable<?> all) {
      return elements(all.iterator()).allMatch(each
          -> isChild(each) || each instanceof scala.Tuple2<?, ?> pair && isUsual(pair));
    } else if (argument instanceof Product product && product.productArity() > 0) {
      return elements(product.productIterator()).allMatch(each -> isUsual(each));
    }
    return Boolean.TRUE.equals(argument)
        || argument instanceof Enumeration.Value mode && mode.toString().equals("ANSI");
  }

  /** What is visited itself, or differs from run to run, or is told elsewhere. */
  private static boolean isChild(Object argument) {
    return argument == null || argument instanceof Expression || argument instanceof ExprId
        || argument instanceof LogicalPlan || argument instanceof PythonFunction
        || argument.getClass().getName().startsWith("org.apache.spark.sql.catalyst.encoders.");
  }

  private static String text(Object value) {
    if (isChild(value)) {
      return "";
    } else if (value instanceof DataType type) {
      return type.sql();
    } else if (value instanceof Option<?> option) {
      return option.isEmpty() ? "" : text(option.get());
    } else if (value instanceof scala.collection.Map<?, ?> map) {
      return texts(elements(map.iterator()).map(HiddenArguments::text).sorted().toList());
    } else if (value instanceof scala.collection.Set<?> set) {
      return texts(elements(set.iterator()).map(HiddenArguments::text).sorted().toList());
    } else if (value instanceof scala.collection.Iterable<?> all) {
      return texts(elements(all.iterator()).map(HiddenArguments::text).toList());
    } else if (value instanceof Object[] array) {
      return texts(Arrays.stream(array).map(HiddenArguments::text).toList());
    } else if (value instanceof Product product) {
      return product.productPrefix()
          + texts(elements(product.productIterator()).map(HiddenArguments::text).toList());
    } else if (value instanceof Class<?> type) {
      return type.getName();
    }
    String text = value.toString();
    // of what has no text of its own Java gives a number that differs from run to run
    return text.contains("@") && text.startsWith(value.getClass().getName()) ? fingerprint(value)
        : value instanceof Number || value instanceof Boolean
        ? text
        : "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  private static String texts(Collection<String> texts) {
    return "[" + String.join(",", texts) + "]";
  }

  /**
   * Of a function or another object without a text: its class, and what it holds if that can be
   * told.
   */
  private static String fingerprint(Object value) {
    String name = value.getClass().getName().replaceFirst("\\$\\$Lambda.*", "");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    } catch (IOException | RuntimeException e) {
      return name;
    }
    return name + ":" + Hashing.sha256().hashBytes(bytes.toByteArray()).toString().substring(0, 12);
  }
}
