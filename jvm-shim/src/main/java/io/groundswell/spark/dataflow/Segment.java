package io.groundswell.spark.dataflow;

import io.groundswell.spark.compat.Catalyst;
import io.groundswell.spark.compat.Scala;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.RDDScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;

/**
 * A stateless chain, with the exchange to the next operator, as Spark's own physical plan. Planned
 * once; every barrier runs a copy whose leaf is that barrier's rows, so nothing is analysed,
 * optimised or planned again, and exchanges, which remember what they did, are new each time.
 */
final class Segment {
  private final SparkSession session;
  private final SparkPlan template;

  private Segment(SparkSession session, SparkPlan template) {
    this.session = session;
    this.template = template;
  }

  /** The leaf that a segment's logical plan starts from: rows of another operator. */
  static LogicalPlan leaf(SparkSession session, List<Attribute> output, Partitioning partitioning) {
    RDD<InternalRow> nothing = session.sparkContext().emptyRDD(Scala.classTag(InternalRow.class));
    return Catalyst.logicalRdd(session, Scala.seq(output), nothing, partitioning);
  }

  static Segment plan(SparkSession session, LogicalPlan logical) {
    return new Segment(session, Catalyst.prepare(session, Catalyst.collapseProjects(logical)));
  }

  /** How often its rows are exchanged. */
  int exchanges() {
    return exchanges(template);
  }

  private static int exchanges(SparkPlan plan) {
    int count = plan instanceof ShuffleExchangeExec ? 1 : 0;
    for (SparkPlan child : Scala.list(plan.children())) {
      count += exchanges(child);
    }
    return count;
  }

  Partitioning partitioning() {
    return template.outputPartitioning();
  }

  /** The chain over this barrier's rows. */
  RDD<InternalRow> run(RDD<InternalRow> rows) {
    return Catalyst.withActive(session,
        ()
            -> template
                .transformUp(Scala.rule(
                    node -> node instanceof RDDScanExec leaf ? withRows(leaf, rows) : node))
                .execute());
  }

  private static SparkPlan withRows(RDDScanExec leaf, RDD<InternalRow> rows) {
    return new RDDScanExec(leaf.output(), rows, leaf.name(), leaf.outputPartitioning(),
        leaf.outputOrdering(), Scala.none());
  }

  @Override
  public String toString() {
    return template.treeString();
  }
}
