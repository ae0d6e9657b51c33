package io.groundswell.spark.views.capture.rewrite;

import io.groundswell.spark.shims.Algebra;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.CollationKey;
import org.apache.spark.sql.catalyst.expressions.CollationKey$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.MapEntries;
import org.apache.spark.sql.catalyst.expressions.MapFromEntries;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.RankLike;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.WindowSpecDefinition;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Groups, partitions, orders, distinct counts and extremes of strings whose collation takes
 * different ones for equal, said with the bytes that it compares them by ({@code CollationKey});
 * groups and distinct counts of maps, which Catalyst has sorted, said with their entries.
 *
 * <p>Where batch Spark gives any of several equal strings, the order of their bytes decides: of a
 * group and of the least ones the first is given, of the greatest ones the last.
 */
final class ComparableKeys {
  private final Map<Expression, Alias> keys = new LinkedHashMap<>();

  private ComparableKeys() {}

  /** The same node over keys that are equal if their bytes are; itself if they all are. */
  static LogicalPlan rewrite(LogicalPlan node) {
    if (node instanceof Aggregate aggregate) {
      return new ComparableKeys().aggregate(aggregate);
    } else if (node instanceof Window window) {
      return new ComparableKeys().window(window);
    } else if (node instanceof Sort sort) {
      return sort(sort);
    }
    return node;
  }

  /** What is equal if its bytes are: the value, or its collation's keys. */
  static Expression comparable(Expression value) {
    return UnsafeRowUtils.isBinaryStable(value.dataType())
        ? value
        : CollationKey$.MODULE$.injectCollationKey(value);
  }

  /** The same of what is grouped by: of a map without maps inside, its entries. */
  private static Expression grouped(Expression value) {
    return value.dataType() instanceof MapType map && UnsafeRowUtils.isBinaryStable(map)
            && !isMap(map.keyType()) && !isMap(map.valueType())
        ? new MapEntries(value)
        : comparable(value);
  }

  private static boolean isMap(DataType type) {
    return type.existsRecursively(Scala.function(part -> part instanceof MapType));
  }

  /** What stands in the order of its bytes; some collations tell all strings apart, yet sort. */
  private static Expression sortable(Expression value) {
    return value.dataType() instanceof StringType type && !type.supportsBinaryOrdering()
        ? new CollationKey(value)
        : comparable(value);
  }

  private LogicalPlan aggregate(Aggregate aggregate) {
    List<Expression> grouping =
        each(Scala.list(aggregate.groupingExpressions()), each -> key(each, grouped(each)));
    List<NamedExpression> before = Scala.list(aggregate.aggregateExpressions());
    List<NamedExpression> given = before.stream().map(this::given).toList();
    return keys.isEmpty() && given.equals(before)
        ? aggregate
        : Algebra.aggregate(grouping, given, withKeys(aggregate.child()));
  }

  private NamedExpression given(NamedExpression column) {
    Expression value = value((Expression) column);
    return value instanceof NamedExpression named
        ? named
        : Catalyst.alias(value, column.name(), column.exprId());
  }

  /** What a group gives, over its new keys. */
  private Expression value(Expression part) {
    if (part instanceof AggregateExpression call) {
      return call(call);
    }
    Alias key = keys.get(part.canonicalized());
    if (key != null) {
      DataType type = part.dataType();
      return type instanceof MapType
          ? new MapFromEntries(key.toAttribute())
          : Algebra.cast(Algebra.min(Algebra.cast(part, plain(type))), type);
    }
    return withChildren(part, this::value);
  }

  private static Expression call(AggregateExpression call) {
    AggregateFunction function = call.aggregateFunction();
    List<Expression> arguments = Scala.list(((Expression) function).children());
    if (function instanceof Count && call.isDistinct()) {
      return with(call, ComparableKeys::grouped);
    } else if ((function instanceof Min || function instanceof Max)
        && sortable(arguments.get(0)) != arguments.get(0)) {
      Expression value = arguments.get(0);
      Expression pair = Algebra.namedStruct(List.of(Algebra.text("key"), sortable(value),
          Algebra.text("value"), Algebra.cast(value, plain(value.dataType()))));
      Expression pairs = Algebra.either(new IsNull(value), Algebra.none(pair.dataType()), pair);
      return Algebra.cast(Catalyst.field(with(call, any -> pairs), 1), value.dataType());
    }
    return call;
  }

  private static Expression with(AggregateExpression call, UnaryOperator<Expression> argument) {
    Expression before = (Expression) call.aggregateFunction();
    Expression after = withChildren(before, argument);
    return after == before ? call : Algebra.call(call, (AggregateFunction) after);
  }

  private LogicalPlan window(Window window) {
    List<Expression> partition =
        each(Scala.list(window.partitionSpec()), each -> key(each, comparable(each)));
    List<SortOrder> order = each(Scala.list(window.orderSpec()), this::order);
    if (keys.isEmpty()) {
      return window;
    }
    List<NamedExpression> functions = new ArrayList<>();
    for (NamedExpression function : Scala.list(window.windowExpressions())) {
      functions.add((NamedExpression) ((Expression) function).transformDown(Scala.rule(part -> {
        if (part instanceof WindowSpecDefinition spec) {
          return Algebra.spec(partition, order, spec.frameSpecification());
        } else if (part instanceof RankLike rank) {
          return Algebra.rank(rank, order);
        }
        return part;
      })));
    }
    LogicalPlan below = window.child() instanceof WindowGroupLimit limit
        ? Algebra.groupLimit(limit, partition, order, withKeys(limit.child()))
        : withKeys(window.child());
    return Catalyst.project(new ArrayList<>(Scala.list(window.output())),
        Algebra.window(functions, partition, order, below));
  }

  private static LogicalPlan sort(Sort sort) {
    List<SortOrder> before = Scala.list(sort.order());
    List<SortOrder> after = each(before, key -> order(key, sortable(key.child())));
    return after.equals(before) ? sort : Algebra.sort(sort, after);
  }

  private SortOrder order(SortOrder key) {
    return order(key, key(key.child(), sortable(key.child())));
  }

  private static SortOrder order(SortOrder key, Expression value) {
    return value == key.child() ? key : Algebra.order(key, value);
  }

  /** The column below that has the bytes of a key, or the key itself. */
  private Expression key(Expression key, Expression bytes) {
    return bytes == key
        ? key
        : keys.computeIfAbsent(key.canonicalized(), k -> Catalyst.alias(bytes, "_comparable"))
              .toAttribute();
  }

  private LogicalPlan withKeys(LogicalPlan child) {
    List<NamedExpression> list = new ArrayList<>(Scala.list(child.output()));
    list.addAll(keys.values());
    return keys.isEmpty() ? child : Catalyst.project(list, child);
  }

  /** The type with strings that are compared by their bytes. */
  private static DataType plain(DataType type) {
    if (type instanceof StringType) {
      return DataTypes.StringType;
    } else if (type instanceof ArrayType array) {
      return DataTypes.createArrayType(plain(array.elementType()), array.containsNull());
    } else if (type instanceof StructType struct) {
      List<StructField> fields = new ArrayList<>();
      for (StructField field : struct.fields()) {
        fields.add(
            DataTypes.createStructField(field.name(), plain(field.dataType()), field.nullable()));
      }
      return DataTypes.createStructType(fields);
    }
    return type;
  }

  private static <T> List<T> each(List<T> items, UnaryOperator<T> change) {
    return items.stream().map(change).toList();
  }

  private static Expression withChildren(Expression part, UnaryOperator<Expression> change) {
    List<Expression> before = Scala.list(part.children());
    List<Expression> after = each(before, change);
    return after.equals(before) ? part : part.withNewChildren(Scala.seq(after));
  }
}
