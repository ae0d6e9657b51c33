package io.groundswell.spark.views.dataflow.run;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Exchange;
import io.groundswell.spark.shims.PythonFunctions;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.StageCode;
import io.groundswell.spark.views.dataflow.exchange.GeneratedCode;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.exchange.PooledTask;
import io.groundswell.spark.views.decode.Decoding;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.RDDScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;

/**
 * A stateless chain, with the exchange to the next operator, as Spark's own physical plan. Planned
 * once, and if it is one stage of generated code, as nearly all are, generated once, too: every
 * barrier runs that code over its rows. Any other plan is copied, every barrier, with that
 * barrier's rows as its leaf: exchanges and subqueries remember what they did.
 */
public final class Segment {
  private final SparkSession session;
  private final SparkPlan template;
  private final RowOrigin origin;
  private OperatorRdd.PartitionTask code;
  private Exchange exchange;
  private boolean generated;

  private Segment(SparkSession session, SparkPlan template, RowOrigin origin) {
    this.session = session;
    this.template = template;
    this.origin = origin;
  }

  /** The leaf that a segment's logical plan starts from: rows of another operator. */
  public static LogicalPlan leaf(
      SparkSession session, List<Attribute> output, Partitioning partitioning) {
    RDD<InternalRow> nothing = session.sparkContext().emptyRDD(Scala.classTag(InternalRow.class));
    return Catalyst.logicalRdd(session, Scala.seq(output), nothing, partitioning);
  }

  /** A chain that only moves rows. */
  public static Segment plan(SparkSession session, LogicalPlan logical) {
    return plan(session, logical, null);
  }

  /**
   * @param origin names the rows that the chain cannot digest; null: there are none
   */
  public static Segment plan(SparkSession session, LogicalPlan logical, RowOrigin origin) {
    RowOrigin named = origin == null ? null : origin.runBy(PythonFunctions.interpreter(logical));
    LogicalPlan decoding = Decoding.apply(Catalyst.collapseProjects(logical));
    return new Segment(session, Catalyst.prepare(session, decoding), named);
  }

  /** How often its rows are exchanged. */
  public int exchanges() {
    return exchanges(template);
  }

  private static int exchanges(SparkPlan plan) {
    int count = plan instanceof ShuffleExchangeExec ? 1 : 0;
    for (SparkPlan child : Scala.list(plan.children())) {
      count += exchanges(child);
    }
    return count;
  }

  public Partitioning partitioning() {
    return template.outputPartitioning();
  }

  /** The chain over this barrier's rows. */
  RDD<InternalRow> run(RDD<InternalRow> rows, Barrier barrier) {
    return Catalyst.withActive(session, () -> {
      if (!generated) {
        generate();
      }
      RDD<InternalRow> result = code == null ? planned(rows) : new OperatorRdd(List.of(rows), code);
      return exchange == null ? result : barrier.exchange(exchange, result);
    });
  }

  /** The chain below its exchange as a plan of this barrier alone. */
  private RDD<InternalRow> planned(RDD<InternalRow> rows) {
    if (origin == null) {
      return over(top(), rows).execute();
    }
    RDD<InternalRow> taken = new OperatorRdd(List.of(rows), new RowOrigin.Take());
    return new OperatorRdd(List.of(over(top(), taken).execute()), new RowOrigin.Name(origin));
  }

  private SparkPlan top() {
    return template instanceof ShuffleExchangeExec shuffle ? shuffle.child() : template;
  }

  private void generate() {
    generated = true;
    exchange = template instanceof ShuffleExchangeExec shuffle ? new Exchange(shuffle) : null;
    SparkPlan top = top();
    boolean asks = template.exists(Scala.function(node -> node.subqueries().nonEmpty()));
    if (asks || !(top instanceof WholeStageCodegenExec)) {
      return;
    }
    StageCode leaf = new StageCode(session.sparkContext());
    PartitionEvaluatorFactory<InternalRow, InternalRow> stage =
        leaf.of((WholeStageCodegenExec) over(top, leaf));
    if (stage != null) {
      GeneratedCode plain = new GeneratedCode(stage);
      code =
          PooledTask.of(session.sparkContext(), origin == null ? plain : new Named(plain, origin));
    }
  }

  private static SparkPlan over(SparkPlan plan, RDD<InternalRow> rows) {
    return plan.transformUp(
        Scala.rule(node -> node instanceof RDDScanExec leaf ? withRows(leaf, rows) : node));
  }

  private static SparkPlan withRows(RDDScanExec leaf, RDD<InternalRow> rows) {
    return new RDDScanExec(leaf.output(), rows, leaf.name(), leaf.outputPartitioning(),
        leaf.outputOrdering(), Scala.none());
  }

  /** Generated code that names the row which it cannot digest. */
  private record Named(GeneratedCode code, RowOrigin origin) implements OperatorRdd.PartitionTask {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context) {
      RowOrigin.Taken taken = new RowOrigin.Taken(inputs.get(0));
      return origin.over(taken, code.over(partition, taken));
    }
  }

  @Override
  public String toString() {
    return template.treeString();
  }
}
