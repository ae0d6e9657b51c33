package io.groundswell.spark.shims

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}

/**
 * A relation that is known by its name alone: plans over such relations can be compared, and are
 * never executed.
 *
 * This is Scala because javac cannot compile a subclass of LogicalPlan.
 */
case class KnownRelation(name: String, output: Seq[Attribute]) extends LeafNode {
  override def doCanonicalize(): LogicalPlan =
    copy(output = output.map(QueryPlan.normalizeExpressions(_, output)))
  override def computeStats(): Statistics = Statistics(sizeInBytes = conf.defaultSizeInBytes)
}
