package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.commits.CommitRef;
import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Reads partitions of a state as of one epoch, or what changed in them since an older one, where
 * the tasks run; what is never asked for is never opened.
 */
public final class SnapshotRdd extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

  /** Takes rows out of a partition's snapshot; rows may be reused. */
  @FunctionalInterface
  interface SnapshotReader extends Serializable {
    Iterator<InternalRow> read(Snapshot snapshot);

    /** What changed between two versions. */
    default Iterator<InternalRow> changes(StateRange range) {
      throw new UnsupportedOperationException("reads rows, not what changed in them");
    }
  }

  /**
   * @param since null: all rows are wanted
   */
  private record StatePartition(int index, CommitRef since, CommitRef commit) implements Partition {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean equals(Object other) {
      return other instanceof StatePartition partition && partition.index == index;
    }

    @Override
    public int hashCode() {
      return index;
    }
  }

  private final String folder;
  private final CommitRef[] commits;
  private final CommitRef[] since;
  private final SnapshotReader reader;
  private final Broadcast<SerializableConfiguration> conf;

  /** Where Spark should read a partition; only the driver asks. */
  private final transient List<String> places;

  /**
   * @param folder the state; its partitions have a folder each inside
   * @param since commits: what changed since is read; null: all rows
   * @param places by partition, where it is open already; none: Spark may choose
   */
  public SnapshotRdd(SparkContext context, String folder, List<CommitRef> commits,
      List<CommitRef> since, SnapshotReader reader, Broadcast<SerializableConfiguration> conf,
      List<String> places) {
    super(context, Catalyst.nil(), Scala.classTag(InternalRow.class));
    this.folder = folder;
    this.commits = commits.toArray(CommitRef[] ::new);
    this.since = since == null ? null : since.toArray(CommitRef[] ::new);
    this.reader = reader;
    this.conf = conf;
    this.places = places;
  }

  @Override
  public scala.collection.immutable.Seq<String> getPreferredLocations(Partition split) {
    return Scala.seq(places.isEmpty() ? List.of() : List.of(places.get(split.index())));
  }

  @Override
  public Partition[] getPartitions() {
    Partition[] result = new Partition[commits.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = new StatePartition(i, since == null ? null : since[i], commits[i]);
    }
    return result;
  }

  @Override
  public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
    CommitRef commit = ((StatePartition) split).commit();
    CommitRef before = ((StatePartition) split).since();
    if (commit.version() == 0 || commit.equals(before)) {
      return CollectionConverters.asScala(Collections.emptyIterator());
    }
    EpochStore store = StoreRegistry.get(folder + "/" + split.index(), conf.value().value());
    if (before != null && before.version() > 0) {
      StateRange range = StateRange.open(store, before, commit);
      context.addTaskCompletionListener((TaskCompletionListener) ended -> range.close());
      return CollectionConverters.asScala(reader.changes(range));
    }
    Snapshot snapshot = store.snapshot(commit.version(), commit.id());
    context.addTaskCompletionListener((TaskCompletionListener) ended -> snapshot.close());
    return CollectionConverters.asScala(reader.read(snapshot));
  }
}
