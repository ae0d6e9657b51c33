package io.groundswell.spark.shims

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExecBase

/**
 * Lets transformWithState run on our state store.
 *
 * Spark 4.2 and 4.3 compare the provider's class name with a list that each node carries and that
 * names RocksDB's provider alone. The planner rule below puts [[AllowProvider]] above such nodes,
 * which adds our provider, and no other, to the list of the node that it executes.
 *
 * This is Scala because javac cannot compile a subclass of SparkPlan.
 */
class SessionExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    // Columnar rules are the only ones that see a plan after the rules of a micro-batch.
    extensions.injectColumnar(_ =>
      new ColumnarRule {
        override def preColumnarTransitions: Rule[SparkPlan] = AllowProviderRule
      })
}

/** Wraps every transformWithState node once. */
object AllowProviderRule extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case node: TransformWithStateExecBase => AllowProvider(node)
  }
}

/** Passes everything through; changes its child's list just before the child looks at it. */
case class AllowProvider(child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    // Later rules copy nodes, and a copy has a list of its own: hence now, not when planning.
    AllowProvider.extend(child)
    child.execute()
  }

  override protected def withNewChildInternal(newChild: SparkPlan): AllowProvider =
    copy(child = newChild)
}

object AllowProvider {
  private val Provider = "io.groundswell.EpochStateStoreProvider"
  private val Field = "SUPPORTED_STATE_STORE_PROVIDERS"

  /** Adds our provider to the list of a node; leaves versions of Spark alone that have none. */
  def extend(node: SparkPlan): Unit =
    classOf[TransformWithStateExecBase].getDeclaredFields
      .find(_.getName.endsWith(Field))
      .foreach { field =>
        field.setAccessible(true)
        field.get(node) match {
          case names: Set[_] => field.set(node, names.asInstanceOf[Set[String]] + Provider)
          case _ =>
        }
      }
}
