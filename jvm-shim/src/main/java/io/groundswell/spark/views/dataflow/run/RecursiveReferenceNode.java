package io.groundswell.spark.views.dataflow.run;

import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.state.SnapshotRdd;
import io.groundswell.spark.views.dataflow.state.SnapshotRows;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.util.SerializableConfiguration;

/**
 * What a recursion gives: within it, what its last run changed; behind it, what the barrier
 * changed. Nothing until {@link Rounds} says between which commits.
 */
public final class RecursiveReferenceNode extends Node {
  /** Of the recursion. */
  final String state;

  /** Whether it stands within the recursion. */
  final boolean within;

  private final String root;
  private final SnapshotRows reader;
  private final Broadcast<SerializableConfiguration> conf;

  /** The commits whose difference is given. */
  record Range(List<CommitRef> since, List<CommitRef> commits) {}

  public RecursiveReferenceNode(int id, boolean within, String root, String state,
      SnapshotRows reader, Broadcast<SerializableConfiguration> conf, List<DataType> types,
      Partitioning partitioning) {
    super(id, id + (within ? " (feedback of " : " (result of ") + state + ")", types, partitioning);
    this.within = within;
    this.root = root;
    this.state = state;
    this.reader = reader;
    this.conf = conf;
  }

  @Override
  boolean isSpread() {
    return true;
  }

  @Override
  RDD<InternalRow> rows(Barrier barrier) {
    Range range = barrier.fed(this);
    if (range == null || range.commits().equals(range.since())) {
      return null;
    }
    return new SnapshotRdd(barrier.context(), StoreRegistry.folder(root, state), range.commits(),
        range.since(), reader, conf, barrier.places(state, range.commits().size()));
  }
}
