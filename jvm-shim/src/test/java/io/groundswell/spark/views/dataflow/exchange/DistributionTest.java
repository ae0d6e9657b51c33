package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.PartitioningCollection;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class DistributionTest {
  private final Attribute a = column("a");
  private final Attribute b = column("b");

  private static Attribute column(String name) {
    return Catalyst.attribute(name, DataTypes.LongType, true, Catalyst.newExprId());
  }

  private static Partitioning hash(int partitions, Attribute... keys) {
    return new HashPartitioning(Scala.seq(List.of(keys)), partitions);
  }

  @Test
  void onlyTheSameHashPutsARowWhereItsStateIs() {
    Distribution wanted = Distribution.of(List.of(a, b), 4);
    assertTrue(wanted.isMetBy(hash(4, a, b)));
    assertFalse(wanted.isMetBy(hash(4, b, a)), "the hash of keys depends on their order");
    assertFalse(wanted.isMetBy(hash(4, a)), "rows of one (a, b) are together, but elsewhere");
    assertFalse(wanted.isMetBy(hash(8, a, b)));
    assertFalse(wanted.isMetBy(new UnknownPartitioning(4)));
    assertFalse(wanted.isMetBy(SinglePartition$.MODULE$));
  }

  @Test
  void aJoinIsSpreadByEitherSide() {
    Partitioning join = new PartitioningCollection(Scala.seq(List.of(hash(4, a), hash(4, b))));
    assertTrue(Distribution.of(List.of(b), 4).isMetBy(join));
    assertFalse(Distribution.of(List.of(a, b), 4).isMetBy(join));
  }

  @Test
  void noKeysMeanOnePartition() {
    Distribution one = Distribution.of(List.of(), 4);
    assertSame(SinglePartition$.MODULE$, one.partitioning());
    assertTrue(one.isMetBy(SinglePartition$.MODULE$));
    assertFalse(one.isMetBy(hash(4, a)));
  }
}
