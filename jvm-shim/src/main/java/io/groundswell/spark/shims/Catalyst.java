package io.groundswell.spark.shims;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.optimizer.CollapseProject$;
import org.apache.spark.sql.catalyst.planning.PhysicalOperation$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CollapseCodegenStages;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.RDDScanExec;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** Constructors of Catalyst nodes that move between Spark versions. */
public final class Catalyst {
  private static final Constructor<?> LOGICAL_RDD = LogicalRDD.class.getConstructors()[0];

  private Catalyst() {}

  /** 4.3 has one parameter more than 4.2: so it is looked up, not linked. */
  public static LogicalRDD logicalRdd(SparkSession session, Seq<Attribute> output,
      RDD<InternalRow> rdd, Partitioning partitioning) {
    List<Object> arguments = new ArrayList<>(List.of(output, rdd, partitioning, nil(), false,
        Scala.none(), session, Scala.none(), Scala.none(), false));
    try {
      return (LogicalRDD) LOGICAL_RDD.newInstance(
          arguments.subList(0, LOGICAL_RDD.getParameterCount()).toArray());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  public static AttributeReference attribute(
      String name, DataType type, boolean nullable, ExprId id) {
    return new AttributeReference(name, type, nullable, Metadata.empty(), id, nil());
  }

  public static Alias alias(Expression child, String name, ExprId id) {
    return new Alias(child, name, id, nil(), Scala.none(), nil());
  }

  public static Project project(List<NamedExpression> list, LogicalPlan child) {
    return new Project(Scala.seq(list), child);
  }

  public static Alias alias(Expression child, String name) {
    return alias(child, name, newExprId());
  }

  /** A struct of these columns, under their names. */
  public static Expression struct(List<Attribute> columns) {
    List<Expression> parts = new ArrayList<>();
    for (Attribute column : columns) {
      parts.add(Literal.create(column.name(), DataTypes.StringType));
      parts.add(column);
    }
    return new CreateNamedStruct(Scala.seq(parts));
  }

  /** A struct of these expressions, under their names. */
  public static Expression structOf(List<NamedExpression> columns) {
    List<Expression> parts = new ArrayList<>();
    for (NamedExpression column : columns) {
      parts.add(Literal.create(column.name(), DataTypes.StringType));
      parts.add(column instanceof Alias alias ? alias.child() : (Expression) column);
    }
    return new CreateNamedStruct(Scala.seq(parts));
  }

  /**
   * A plan as one projection and one condition over a leaf.
   *
   * @param condition true if it has none
   */
  public record Projected(List<NamedExpression> columns, Expression condition, LogicalPlan leaf) {}

  /** The same of a plan; empty if it does something else, too. */
  public static Optional<Projected> projected(LogicalPlan plan) {
    return Scala.optional(PhysicalOperation$.MODULE$.unapply(plan))
        .filter(parts -> parts._3().children().isEmpty())
        .map(parts
            -> new Projected(Scala.list(parts._1()),
                Scala.list(parts._2())
                    .stream()
                    .reduce(And::new)
                    .orElse(Literal.create(true, DataTypes.BooleanType)),
                parts._3()));
  }

  /** A scan that gives rows that are there. */
  public static SparkPlan scan(List<Attribute> output, RDD<InternalRow> rows) {
    return new RDDScanExec(
        Scala.seq(output), rows, "shared", new UnknownPartitioning(0), nil(), Scala.none());
  }

  public static LogicalPlan union(List<LogicalPlan> children) {
    return new Union(Scala.seq(children), false, false);
  }

  public static ExprId newExprId() {
    return NamedExpression.newExprId();
  }

  public static Dataset<Row> ofRows(SparkSession session, LogicalPlan plan) {
    return org.apache.spark.sql.classic.Dataset$.MODULE$.ofRows(session, plan);
  }

  public static SparkPlan executedPlan(org.apache.spark.sql.Dataset<?> frame) {
    return ((Dataset<?>) frame).queryExecution().executedPlan();
  }

  /** Plans an optimised plan for execution, with exchanges and generated code, not adaptively. */
  public static SparkPlan prepare(SparkSession session, LogicalPlan optimized) {
    return QueryExecution.prepareExecutedPlan(session, optimized);
  }

  /** Makes consecutive projections one. */
  public static LogicalPlan collapseProjects(LogicalPlan plan) {
    return CollapseProject$.MODULE$.apply(plan);
  }

  /** Puts what can be generated into generated code; {@code plan} has none yet. */
  public static SparkPlan collapseCodegen(SparkPlan plan) {
    return new CollapseCodegenStages(new AtomicInteger()).apply(plan);
  }

  /** The expression over rows of these columns. */
  public static Expression bind(Expression expression, List<Attribute> columns) {
    return expression.transformUp(Scala.rule(part -> {
      if (!(part instanceof AttributeReference attribute)) {
        return part;
      }
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).exprId().equals(attribute.exprId())) {
          return new BoundReference(i, columns.get(i).dataType(), columns.get(i).nullable());
        }
      }
      throw new IllegalArgumentException(attribute + " of " + expression + " is not of " + columns);
    }));
  }

  /** Each without its name, and without the ids that each plan gives its columns anew. */
  public static List<Expression> bound(Seq<?> expressions, List<Attribute> columns) {
    return Scala.list(expressions)
        .stream()
        .map(each -> bind(each instanceof Alias alias ? alias.child() : (Expression) each, columns))
        .toList();
  }

  /** A plain Java value as a literal of another type. */
  public static Expression cast(Object value, DataType type) {
    return new Cast(Literal$.MODULE$.apply(value), type, Scala.none(), Cast.apply$default$4());
  }

  public static Expression field(Expression struct, int ordinal) {
    return new GetStructField(struct, ordinal, Scala.none());
  }

  public static RDD<InternalRow> parallelize(
      SparkContext context, List<InternalRow> rows, int slices) {
    return context.parallelize(Scala.seq(rows), slices, Scala.classTag(InternalRow.class));
  }

  /** Runs {@code body} so that tasks see the SQL settings of {@code session}. */
  public static <T> T withConfPropagated(SparkSession session, Supplier<T> body) {
    return SQLExecution.withSQLConfPropagated(session, Scala.body(body));
  }

  /** Runs {@code body} with {@code session} as the thread's active one, as plan nodes expect. */
  public static <T> T withActive(SparkSession session, Supplier<T> body) {
    return session.withActive(Scala.body(body));
  }

  /** The analysed plan; {@code Dataset} is one class for users and another inside. */
  public static LogicalPlan analyzed(org.apache.spark.sql.Dataset<?> frame) {
    return ((Dataset<?>) frame).queryExecution().analyzed();
  }

  public static SparkSession session(org.apache.spark.sql.Dataset<?> frame) {
    return ((Dataset<?>) frame).sparkSession();
  }

  @SuppressWarnings("unchecked")
  public static <T> Seq<T> nil() {
    return (Seq<T>) Nil$.MODULE$;
  }

  /** A copy of {@code session} with settings of its own on top. */
  public static SparkSession cloneWith(SparkSession session, List<String[]> settings) {
    SparkSession clone = session.cloneSession();
    for (String[] setting : settings) {
      clone.sessionState().conf().setConfString(setting[0], setting[1]);
    }
    return clone;
  }

  /** Whether a setting has the value that it has when nobody sets it. */
  public static boolean isDefault(String key, String value) {
    ConfigEntry<?> entry = ConfigEntry.findEntry(key);
    try {
      return entry != null && normal(entry, value).equals(new SQLConf().getConfString(key));
    } catch (NoSuchElementException e) { // it has none
      return false;
    }
  }

  private static <T> String normal(ConfigEntry<T> entry, String value) {
    return entry.stringConverter().apply(entry.valueConverter().apply(value));
  }
}
