package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.CommitRef;
import io.groundswell.spark.views.contract.Documents;
import io.groundswell.spark.views.contract.StateCommits;
import io.groundswell.spark.views.dataflow.state.ViewRows;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;

/** The changes of one epoch in one partition of a view, with the epoch and its time. */
final class ChangesReader implements PartitionReader<InternalRow> {
  private record Changes(String folder, CommitRef commit, long epoch, long micros, boolean whole)
      implements InputPartition {
    private static final long serialVersionUID = 1L;
  }

  private final ViewRows.Partition changes;
  private final Iterator<InternalRow> iterator;
  private final InternalRow commit;
  private final JoinedRow joined = new JoinedRow();
  private final UnsafeProjection columns;

  private ChangesReader(Changes partition, StructType rows, StructType read,
      Broadcast<SerializableConfiguration> conf) {
    changes = ViewRows.openChanges(partition.folder, partition.commit, conf.value().value(),
        rows.size(), partition.epoch, partition.whole);
    iterator = changes.iterator();
    commit = new GenericInternalRow(new Object[] {partition.epoch, partition.micros});
    List<Expression> all = new ArrayList<>();
    for (int i = 0; i < read.size(); i++) {
      all.add(new BoundReference(i, read.fields()[i].dataType(), read.fields()[i].nullable()));
    }
    columns = UnsafeProjection.create(Scala.<Expression>seq(all));
  }

  /** The partitions of an epoch that have been written. */
  static List<InputPartition> partitions(JsonNode epoch) {
    StateCommits at = Documents.read(epoch.path("at").toString(), StateCommits.class);
    List<CommitRef> commits = at.commits();
    List<InputPartition> partitions = new ArrayList<>();
    for (int i = 0; i < commits.size(); i++) {
      if (commits.get(i).version() > 0) {
        partitions.add(
            new Changes(at.folder() + "/" + i, commits.get(i), epoch.path("epoch").asLong(),
                epoch.path("micros").asLong(), epoch.path("whole").asBoolean()));
      }
    }
    return partitions;
  }

  static PartitionReaderFactory factory(StructType rows, StructType read) {
    org.apache.spark.sql.classic.SparkSession session =
        (org.apache.spark.sql.classic.SparkSession) SparkSession.active();
    Broadcast<SerializableConfiguration> conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
    return partition -> new ChangesReader((Changes) partition, rows, read, conf);
  }

  @Override
  public boolean next() {
    return iterator.hasNext();
  }

  @Override
  public InternalRow get() {
    return columns.apply(joined.apply(iterator.next(), commit));
  }

  @Override
  public void close() {
    changes.close();
  }
}
