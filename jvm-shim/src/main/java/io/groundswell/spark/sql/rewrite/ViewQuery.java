package io.groundswell.spark.sql.rewrite;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.KnownRelation;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.sql.rewrite.NotContainedException.Step;
import io.groundswell.spark.views.capture.stream.PlaceholderLeaf;
import io.groundswell.spark.views.capture.stream.PlaceholderRdd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.analysis.UpdateAttributeNullability$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The query of a view over relations that are known by their names, optimised as the queries are
 * that it is compared with.
 *
 * @param plan the optimised plan
 * @param relations names of what it reads
 */
public record ViewQuery(LogicalPlan plan, Set<String> relations) {
  /**
   * The query of a view.
   *
   * @param analyzed over placeholders
   * @param names by key of a placeholder, the relation that it stands for
   * @param columns by name of a relation, its columns as queries see them
   * @param optimizer of the session that asks
   * @throws NotContainedException no query can be answered from it
   */
  public static ViewQuery of(LogicalPlan analyzed, Map<String, String> names,
      Map<String, StructType> columns, UnaryOperator<LogicalPlan> optimizer)
      throws NotContainedException {
    Map<ExprId, Expression> found = new HashMap<>();
    Map<String, KnownRelation> leaves = new HashMap<>();
    Set<String> read = new HashSet<>();
    for (LogicalPlan leaf : Scala.list(analyzed.collectLeaves())) {
      PlaceholderRdd source = PlaceholderLeaf.rdd(leaf);
      if (source == null) {
        continue; // a constant: the optimised plan is checked
      }
      String name = nameOf(source, names);
      read.add(name);
      KnownRelation relation = relation(name, leaf, columns.get(name));
      leaves.put(leaf.output().toString(), relation);
      Scala.list(relation.output()).forEach(column -> found.put(column.exprId(), column));
    }
    LogicalPlan over = analyzed.transformUp(Scala.rule(node
        -> PlaceholderLeaf.rdd(node) == null
            ? node.transformExpressionsUp(Scala.rule(part -> SelectBlock.value(part, found)))
            : leaves.get(node.output().toString())));
    if (!over.missingInput().isEmpty()
        || over.exists(Scala.function(node -> !node.missingInput().isEmpty()))) {
      throw new NotContainedException(
          Step.COLUMNS, "its query reads a column that readers do not see");
    }
    LogicalPlan plan = optimizer.apply(UpdateAttributeNullability$.MODULE$.apply(over.clone()));
    Eligibility.check(plan);
    return new ViewQuery(plan, read);
  }

  /** A view that is a relation again, with all or some of its columns, saves nothing. */
  public boolean isTrivial() {
    SelectBlock block = SelectBlock.of(plan);
    return block.conditions().isEmpty() && block.inputs().size() == 1
        && block.inputs().get(0) instanceof KnownRelation
        && block.columns().stream().allMatch(column -> column.value() instanceof Attribute);
  }

  private static String nameOf(PlaceholderRdd source, Map<String, String> names)
      throws NotContainedException {
    String name = names.get(source.key());
    if (source.eventTime() != null) {
      throw new NotContainedException(Step.COLUMNS,
          (name == null ? "a source of it" : name)
              + " has a watermark: rows that come late are in no view");
    } else if (source.use() != null) {
      throw new NotContainedException(
          Step.COLUMNS, name + " is not read as its rows are, but as " + source.use());
    } else if (name == null) {
      throw new NotContainedException(
          Step.COLUMNS, "it reads a source, or a table as it was before its columns changed");
    }
    return name;
  }

  /** The relation with its columns of now, under the ids that the query has. */
  private static KnownRelation relation(String name, LogicalPlan leaf, StructType columns)
      throws NotContainedException {
    if (columns == null) {
      throw new NotContainedException(Step.COLUMNS, "the query does not read " + name);
    }
    Map<String, Attribute> ids = new HashMap<>();
    Scala.list(leaf.output()).forEach(column -> ids.put(column.name(), column));
    List<Attribute> output = new ArrayList<>();
    for (StructField field : columns.fields()) {
      Attribute known = ids.get(field.name());
      if (known != null && !known.dataType().equals(field.dataType())) {
        throw new NotContainedException(Step.COLUMNS,
            name + "." + field.name() + " is " + field.dataType().sql() + " now, and was "
                + known.dataType().sql());
      }
      output.add(Catalyst.attribute(field.name(), field.dataType(), field.nullable(),
          known == null ? Catalyst.newExprId() : known.exprId()));
    }
    return new KnownRelation(name, Scala.seq(output));
  }
}
