package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.PartitioningCollection;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;

/**
 * How an operator's input must be spread over its partitions: by the hash of keys, so that a row is
 * where the state of its key is, or all in one place.
 *
 * @param keys none: one partition
 */
public record Distribution(List<Attribute> keys, int partitions) {
  public static Distribution of(List<Attribute> keys, int partitions) {
    return new Distribution(keys, keys.isEmpty() ? 1 : partitions);
  }

  public Partitioning partitioning() {
    return partitions == 1 ? SinglePartition$.MODULE$
                           : new HashPartitioning(Scala.seq(keys), partitions);
  }

  /**
   * True if rows partitioned so need no exchange. Keys must agree one by one and in order: the
   * partition is the hash of them all, chained.
   */
  public boolean isMetBy(Partitioning given) {
    if (given instanceof PartitioningCollection several) {
      return Scala.list(several.partitionings()).stream().anyMatch(each -> isMetBy(each));
    }
    if (partitions == 1) {
      return given == SinglePartition$.MODULE$;
    }
    if (!(given instanceof HashPartitioning hash) || hash.numPartitions() != partitions) {
      return false;
    }
    List<Expression> expressions = Scala.list(hash.expressions());
    if (expressions.size() != keys.size()) {
      return false;
    }
    for (int i = 0; i < keys.size(); i++) {
      if (!expressions.get(i).semanticEquals(keys.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** The plan with the exchange on top. */
  public LogicalPlan exchange(LogicalPlan plan) {
    if (partitions == 1) {
      return new Repartition(1, true, plan);
    }
    return new RepartitionByExpression(Scala.seq(new ArrayList<Expression>(keys)), plan,
        scala.Option.apply(partitions), Scala.none());
  }
}
