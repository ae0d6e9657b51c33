package io.groundswell.spark.sql;

import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.state.ViewRows;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;

/** All rows of a view at an epoch, by a task for each partition of its state. */
record ViewScan(String name, StructType readSchema, ViewState state, long epoch)
    implements SupportsReportStatistics, Batch {
  private record StatePartition(String folder, CommitRef commit) implements InputPartition {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public String description() {
    return name + " at epoch " + epoch;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  /** All rows of the newest epoch, then those that come; one that changes is an error. */
  @Override
  public MicroBatchStream toMicroBatchStream(String checkpoint) {
    return ViewChangelog.newRows(name, state.schema(), readSchema);
  }

  @Override
  public Statistics estimateStatistics() {
    List<CommitRef> commits = state.at().commits();
    long rows = commits.stream().mapToLong(CommitRef::rows).sum();
    long bytes = commits.stream().mapToLong(CommitRef::bytes).sum();
    return new Statistics() {
      @Override
      public OptionalLong sizeInBytes() {
        return OptionalLong.of(Math.max(bytes, 1));
      }

      @Override
      public OptionalLong numRows() {
        return OptionalLong.of(rows);
      }
    };
  }

  @Override
  public InputPartition[] planInputPartitions() {
    List<CommitRef> commits = state.at().commits();
    return IntStream.range(0, commits.size())
        .filter(i -> commits.get(i).version() > 0)
        .mapToObj(i -> new StatePartition(state.at().folder() + "/" + i, commits.get(i)))
        .toArray(InputPartition[] ::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    org.apache.spark.sql.classic.SparkSession session =
        (org.apache.spark.sql.classic.SparkSession) SparkSession.active();
    Broadcast<SerializableConfiguration> conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
    StructType kept = state.schema();
    StructType wanted = readSchema;
    return partition -> new Reader((StatePartition) partition, kept, wanted, conf);
  }

  private static final class Reader implements PartitionReader<InternalRow> {
    private final ViewRows.Partition rows;
    private final Iterator<InternalRow> iterator;
    private final UnsafeProjection columns;
    private final Predicate<InternalRow> shown;
    private InternalRow row;

    Reader(StatePartition partition, StructType kept, StructType wanted,
        Broadcast<SerializableConfiguration> conf) {
      rows = ViewRows.open(partition.folder, partition.commit, conf.value().value(), kept.size());
      iterator = rows.iterator();
      columns = ViewScanBuilder.projection(kept, wanted);
      shown = ViewState.shown(kept);
    }

    @Override
    public boolean next() {
      while (iterator.hasNext()) {
        row = iterator.next();
        if (shown.test(row)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public InternalRow get() {
      return columns.apply(row);
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
