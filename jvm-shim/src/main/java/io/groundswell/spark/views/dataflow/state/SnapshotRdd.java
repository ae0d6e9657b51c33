package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.Snapshot;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.CommitRef;
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
 * Reads partitions of a state as of one epoch, where the tasks run; what is never asked for is
 * never opened.
 */
public final class SnapshotRdd extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

  /** Takes rows out of a partition's snapshot; rows may be reused. */
  @FunctionalInterface
  interface SnapshotReader extends Serializable {
    Iterator<InternalRow> read(Snapshot snapshot);
  }

  private record StatePartition(int index, CommitRef commit) implements Partition {
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
  private final SnapshotReader reader;
  private final Broadcast<SerializableConfiguration> conf;

  /**
   * @param folder the state; its partitions have a folder each inside
   */
  public SnapshotRdd(SparkContext context, String folder, List<CommitRef> commits,
      SnapshotReader reader, Broadcast<SerializableConfiguration> conf) {
    super(context, Catalyst.nil(), Scala.classTag(InternalRow.class));
    this.folder = folder;
    this.commits = commits.toArray(CommitRef[] ::new);
    this.reader = reader;
    this.conf = conf;
  }

  @Override
  public Partition[] getPartitions() {
    Partition[] result = new Partition[commits.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = new StatePartition(i, commits[i]);
    }
    return result;
  }

  @Override
  public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
    CommitRef commit = ((StatePartition) split).commit();
    if (commit.version() == 0) {
      return CollectionConverters.asScala(Collections.emptyIterator());
    }
    Snapshot snapshot = StoreRegistry.get(folder + "/" + split.index(), conf.value().value())
                            .snapshot(commit.version(), commit.id());
    context.addTaskCompletionListener((TaskCompletionListener) ended -> snapshot.close());
    return CollectionConverters.asScala(reader.read(snapshot));
  }
}
