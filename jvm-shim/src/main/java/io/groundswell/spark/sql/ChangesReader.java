package io.groundswell.spark.sql;

import com.google.common.collect.Iterators;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.sql.EpochChanges;
import io.groundswell.spark.views.dataflow.state.ViewRows;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.connector.catalog.Changelog;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;

/** The changes of one epoch in one partition of a view, with the epoch and its time. */
final class ChangesReader implements PartitionReader<InternalRow> {
  /** {@code before}: its changes are told from that commit on; null: from its changelog. */
  private record Changes(String folder, CommitRef commit, CommitRef before, long epoch, long micros,
      boolean whole) implements InputPartition {
    private static final long serialVersionUID = 1L;
  }

  private final ViewRows.Partition changes;
  private final Iterator<InternalRow> iterator;
  private final InternalRow commit;
  private final JoinedRow joined = new JoinedRow();
  private final UnsafeProjection columns;
  private final int typeAt;

  /** The view's name, if only new rows may be read; null: all changes are. */
  private final String onlyNew;

  private ChangesReader(Changes partition, StructType rows, StructType read, String onlyNew,
      Broadcast<SerializableConfiguration> conf) {
    this.onlyNew = onlyNew;
    this.typeAt = rows.size();
    Configuration hadoop = conf.value().value();
    changes = partition.before == null || partition.whole
        ? ViewRows.openChanges(partition.folder, partition.commit, hadoop, rows.size(),
              partition.epoch, partition.whole)
        : ViewRows.openDiff(partition.folder, partition.before, partition.commit, hadoop,
              rows.size(), ViewState.shown(rows));
    iterator = partition.whole ? Iterators.filter(changes.iterator(), ViewState.shown(rows)::test)
                               : changes.iterator();
    commit = new GenericInternalRow(new Object[] {partition.epoch, partition.micros});
    columns = UnsafeProjection.create(Scala.<Expression>seq(columns(rows, read)));
  }

  /** Columns of the view that are read by name, those of the change by place. */
  private static List<Expression> columns(StructType rows, StructType read) {
    List<Expression> all = new ArrayList<>();
    int place = rows.size();
    for (StructField field : read.fields()) {
      boolean own = rows.getFieldIndex(field.name()).isDefined();
      int at = own ? rows.fieldIndex(field.name()) : place++;
      all.add(new BoundReference(at, field.dataType(), !own || field.nullable()));
    }
    return all;
  }

  /** The partitions of an epoch that have been written. */
  static List<InputPartition> partitions(EpochChanges epoch) {
    List<CommitRef> commits = epoch.at().commits();
    List<CommitRef> before = epoch.before() == null ? null : epoch.before().commits();
    List<InputPartition> partitions = new ArrayList<>();
    for (int i = 0; i < commits.size(); i++) {
      CommitRef old = before == null ? null : before.get(i);
      boolean same = !epoch.whole() && old != null && old.version() == commits.get(i).version();
      if (commits.get(i).version() > 0 && !same) {
        partitions.add(new Changes(epoch.at().folder() + "/" + i, commits.get(i), old,
            epoch.epoch(), epoch.micros(), epoch.whole()));
      }
    }
    return partitions;
  }

  /**
   * Readers of such partitions.
   *
   * @param rows the columns that the view keeps
   * @param read those to give: of {@code rows} by name, then those of the change
   * @param onlyNew the view's name, if any other change than a new row is an error; else null
   */
  static PartitionReaderFactory factory(StructType rows, StructType read, String onlyNew) {
    org.apache.spark.sql.classic.SparkSession session =
        (org.apache.spark.sql.classic.SparkSession) SparkSession.active();
    Broadcast<SerializableConfiguration> conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
    return partition -> new ChangesReader((Changes) partition, rows, read, onlyNew, conf);
  }

  @Override
  public boolean next() {
    return iterator.hasNext();
  }

  @Override
  public InternalRow get() {
    InternalRow change = iterator.next();
    if (onlyNew != null) {
      String type = change.getUTF8String(typeAt).toString();
      if (!type.equals(Changelog.CHANGE_TYPE_INSERT)) {
        throw new IllegalStateException(onlyNew + " changed a row (" + type + ") at epoch "
            + commit.getLong(0) + ", and a stream of a table has new rows only: read its changes, "
            + "with spark.readStream.changes(\"" + onlyNew + "\") or FROM STREAM " + onlyNew
            + " CHANGES FROM VERSION ...");
      }
    }
    return columns.apply(joined.apply(change, commit));
  }

  @Override
  public void close() {
    changes.close();
  }
}
