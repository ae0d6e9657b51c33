package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.LeafExecNode;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanExecBase;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;

/**
 * Generated code of projections and filters over what a source gives, made once: Spark would make
 * it for each plan anew. Later plans that do the same differ in the rows below alone.
 */
public final class CachedCode {
  private CachedCode() {}

  /** What a plan reads below its projections and filters; null if it does anything else. */
  public static SparkPlan leaf(SparkPlan plan) {
    SparkPlan node = plan;
    while (node instanceof ProjectExec || node instanceof FilterExec) {
      if (node.subqueries().nonEmpty()) { // code holds the value of the first run
        return null;
      }
      node = node.children().head();
    }
    return node != plan && node instanceof LeafExecNode && !node.supportsColumnar() ? node : null;
  }

  /**
   * The rows of a leaf that Spark would count by a function of the driver, which it reads and
   * checks at every call; null if it is none of these. See {@link #count}.
   */
  public static RDD<InternalRow> uncounted(SparkPlan leaf) {
    return leaf instanceof DataSourceV2ScanExecBase scan ? scan.inputRDD() : null;
  }

  /** Where the rows of such a leaf have to be counted. */
  public static SQLMetric count(SparkPlan leaf) {
    return leaf.metrics().apply("numOutputRows");
  }

  /** A projection's columns, or a filter's condition. */
  record Step(boolean filters, List<Expression> expressions) {
    static Step of(SparkPlan node) {
      List<Attribute> columns = Scala.list(node.children().head().output());
      return node instanceof FilterExec filter
          ? new Step(true, List.of(Catalyst.bind(filter.condition(), columns)))
          : new Step(false, Catalyst.bound(((ProjectExec) node).projectList(), columns));
    }
  }

  /**
   * What plans have in common that have the same code. Expressions are compared as such: of their
   * text a value may look like anything.
   *
   * @param given types of what the leaf gives
   * @param steps from above
   */
  public record Shape(List<DataType> given, List<Step> steps) {
    public static Shape of(SparkPlan plan, SparkPlan leaf) {
      List<Step> steps = new ArrayList<>();
      for (SparkPlan node = plan; node != leaf; node = node.children().head()) {
        steps.add(Step.of(node));
      }
      return new Shape(Scala.list(leaf.output()).stream().map(Attribute::dataType).toList(), steps);
    }
  }

  /** The code of such a plan; null if it is not one stage of generated code. */
  public static PartitionEvaluatorFactory<InternalRow, InternalRow> of(
      SparkPlan plan, SparkPlan leaf) {
    StageCode below = new StageCode(plan.session().sparkContext());
    SparkPlan scan = Catalyst.scan(Scala.list(leaf.output()), below);
    SparkPlan over = plan.transformUp(Scala.rule(node -> node == leaf ? scan : node));
    return Catalyst.collapseCodegen(over) instanceof WholeStageCodegenExec stage ? below.of(stage)
                                                                                 : null;
  }
}
