package io.groundswell.spark.views.dataflow.run;

import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.types.DataType;

/** One operator of a compiled dataflow: how it gives its rows in a barrier. */
public abstract class Node {
  final int id;
  public final String label;
  public final List<DataType> types;
  public final Partitioning partitioning;
  public int consumers;

  /** Runs in every barrier, also where nobody asks for its rows: others read its state. */
  public boolean always;

  /**
   * @param types of its columns and the weight
   * @param partitioning what the next operator may rely on
   */
  Node(int id, String label, List<DataType> types, Partitioning partitioning) {
    this.id = id;
    this.label = label;
    this.types = types;
    this.partitioning = partitioning;
  }

  /** This barrier's rows, or null if there are none for sure. */
  abstract RDD<InternalRow> rows(Barrier barrier);

  /** True if what it gives needs no keeping when several operators read it. */
  boolean cheap() {
    return false;
  }

  /** True if its partitions are those of a state, of which a task may do several. */
  boolean isSpread() {
    return false;
  }

  public String describe() {
    return label;
  }
}
