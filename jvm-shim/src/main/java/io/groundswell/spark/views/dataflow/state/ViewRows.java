package io.groundswell.spark.views.dataflow.state;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.views.operator.view.ViewTables;
import java.util.Iterator;
import java.util.List;
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
  public static RDD<InternalRow> rows(
      SparkSession session, String folder, int fields, JsonNode commits) {
    return read(session, folder, commits, snapshot -> ViewTables.rows(snapshot, fields));
  }

  /** What the epoch changed: the view's columns, then the change type. */
  public static RDD<InternalRow> changes(
      SparkSession session, String folder, int fields, JsonNode commits, long epoch) {
    return read(
        session, folder, commits, snapshot -> typed(ViewTables.changelog(snapshot, epoch, fields)));
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
      SparkSession session, String folder, JsonNode commits, SnapshotRdd.SnapshotReader reader) {
    return new SnapshotRdd(session.sparkContext(), folder, CommitRef.list(commits), reader,
        SerializableConfiguration.broadcast(
            session.sparkContext(), session.sessionState().newHadoopConf()));
  }
}
