package io.groundswell.spark.views.capture.stream;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.LogicalRDD;

/** Recognises placeholders in plans. */
public final class PlaceholderLeaf {
  private PlaceholderLeaf() {}

  /** The RDD that identifies the source, or null if this is another kind of node. */
  public static PlaceholderRdd rdd(LogicalPlan plan) {
    if (plan instanceof LogicalRDD leaf && (Object) leaf.rdd() instanceof PlaceholderRdd rdd) {
      return rdd;
    }
    return null;
  }
}
