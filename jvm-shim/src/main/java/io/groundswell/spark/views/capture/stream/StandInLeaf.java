package io.groundswell.spark.views.capture.stream;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.LogicalRDD;

/** Recognises stand-ins in plans. */
public final class StandInLeaf {
  private StandInLeaf() {}

  /** The RDD that identifies the source, or null if this is another kind of node. */
  public static StandInRdd rdd(LogicalPlan plan) {
    if (plan instanceof LogicalRDD leaf && (Object) leaf.rdd() instanceof StandInRdd rdd) {
      return rdd;
    }
    return null;
  }
}
