package io.groundswell.spark.views.dataflow.state;

import com.google.common.collect.Iterators;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.StateCommits;
import io.groundswell.spark.views.operator.spi.ChangeType;
import io.groundswell.spark.views.operator.view.ViewDiff;
import io.groundswell.spark.views.operator.view.ViewTables;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/** The rows and changes of materialised views, as RDDs. */
public final class ViewRows {
  private ViewRows() {}

  /** The view's rows. */
  public static RDD<InternalRow> rows(SparkSession session, StateCommits state, int fields) {
    return read(session, state, snapshot -> ViewTables.rows(snapshot, fields));
  }

  /** What the epoch changed: the view's columns, then the change type. */
  public static RDD<InternalRow> changes(
      SparkSession session, StateCommits state, int fields, long epoch) {
    return read(session, state, snapshot -> typed(ViewTables.changelog(snapshot, epoch, fields)));
  }

  /** One partition of a view, for a task that reads it itself; it is to be closed. */
  public static Partition open(String folder, CommitRef commit, Configuration conf, int fields) {
    Snapshot snapshot = StoreRegistry.get(folder, conf).snapshot(commit.version(), commit.id());
    return new Partition(snapshot, ViewTables.rows(snapshot, fields));
  }

  /**
   * The changes of an epoch in one partition: the view's columns, then the change type.
   *
   * @param whole whether all rows are changes, for the view was filled at that epoch
   */
  public static Partition openChanges(
      String folder, CommitRef commit, Configuration conf, int fields, long epoch, boolean whole) {
    Snapshot snapshot = StoreRegistry.get(folder, conf).snapshot(commit.version(), commit.id());
    Iterator<InternalRow> changes = whole
        ? typed(Iterators.transform(ViewTables.rows(snapshot, fields),
              row -> new ViewTables.ViewChange(ChangeType.INSERT, row)))
        : typed(ViewTables.changelog(snapshot, epoch, fields));
    return new Partition(snapshot, changes);
  }

  /**
   * What changed in one partition between two epochs, told from its commits: the view's columns,
   * then the change type.
   *
   * @param shown tells the rows that readers see
   */
  public static Partition openDiff(String folder, CommitRef before, CommitRef after,
      Configuration conf, int fields, Predicate<InternalRow> shown) {
    StateRange range = StateRange.open(StoreRegistry.get(folder, conf), before, after);
    try {
      Iterator<InternalRow> changes = range.commits().isEmpty()
          ? Collections.emptyIterator()
          : typed(ViewDiff.between(range.before(), range.commits(), fields, shown));
      return new Partition(range, changes);
    } catch (RuntimeException e) {
      range.close();
      throw e;
    }
  }

  /** The rows of a partition, each reused by the next step. */
  public static final class Partition implements AutoCloseable {
    private final StateRange opened;
    private final Iterator<InternalRow> rows;

    Partition(Snapshot snapshot, Iterator<InternalRow> rows) {
      this(new StateRange(null, List.of(snapshot)), rows);
    }

    Partition(StateRange opened, Iterator<InternalRow> rows) {
      this.opened = opened;
      this.rows = rows;
    }

    public Iterator<InternalRow> iterator() {
      return rows;
    }

    @Override
    public void close() {
      opened.close();
    }
  }

  private static Iterator<InternalRow> typed(Iterator<ViewTables.ViewChange> changes) {
    GenericInternalRow type = new GenericInternalRow(1);
    JoinedRow joined = new JoinedRow();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return changes.hasNext();
      }

      @Override
      public InternalRow next() {
        ViewTables.ViewChange change = changes.next();
        type.update(0, change.type().text());
        return joined.apply(change.row(), type);
      }
    };
  }

  private static RDD<InternalRow> read(
      SparkSession session, StateCommits state, SnapshotRdd.SnapshotReader reader) {
    return new SnapshotRdd(session.sparkContext(), state.folder(), state.commits(), null, reader,
        SerializableConfiguration.broadcast(
            session.sparkContext(), session.sessionState().newHadoopConf()),
        List.of());
  }
}
