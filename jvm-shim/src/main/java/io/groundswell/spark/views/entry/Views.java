package io.groundswell.spark.views.entry;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.commits.IndexPlaces;
import io.groundswell.spark.views.contract.commits.StateCommits;
import io.groundswell.spark.views.dataflow.state.StateReads;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import io.groundswell.spark.views.dataflow.state.ViewRows;
import io.groundswell.spark.views.operator.lookup.IndexLayout;
import io.groundswell.spark.views.operator.lookup.PointRead;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Function1;

/**
 * Materialised views as DataFrames, as of one epoch, and single keys of them. Of a frame, nothing
 * is read before the frame is used, and then by the tasks; the process need not be the one that
 * keeps the view.
 */
public final class Views {
  /** Spark's own column of a change row: insert, delete, update_preimage, update_postimage. */
  public static final String CHANGE_TYPE = "_change_type";

  private Views() {}

  /**
   * @param state a {@link StateCommits} of the epoch to be read
   * @param schema JSON of the view's columns
   */
  public static Dataset<Row> rows(SparkSession session, String state, String schema) {
    StructType columns = schema(schema);
    return classic(session).internalCreateDataFrame(
        ViewRows.rows(classic(session), state(state), columns.size()), columns, false);
  }

  /** What {@code epoch} changed in the view; the two rows of an update are adjacent. */
  public static Dataset<Row> changes(
      SparkSession session, String state, String schema, long epoch) {
    StructType columns = schema(schema);
    return classic(session).internalCreateDataFrame(
        ViewRows.changes(classic(session), state(state), columns.size(), epoch),
        columns.add(CHANGE_TYPE, DataTypes.StringType, false), false);
  }

  /**
   * The rows of one key, read at once and by this process: the frame holds them, and collecting it
   * starts no job.
   *
   * @param key a frame whose columns are constants: the values of the key
   *     an index may be given the first values only
   * @param places an {@link IndexPlaces}; empty: the state is a view
   */
  public static Dataset<Row> lookup(
      SparkSession session, String state, String schema, Dataset<Row> key, String places) {
    StructType columns = schema(schema);
    IndexLayout layout = places.isEmpty()
        ? null
        : IndexLayout.of(columns, Documents.read(places, IndexPlaces.class));
    List<DataType> types = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (Expression value : Scala.list(Catalyst.analyzed(key).expressions())) {
      types.add(value.dataType());
      values.add(value.eval(null));
    }
    PointRead read =
        new PointRead(types.toArray(DataType[] ::new), values.toArray(), layout != null);
    Function1<Object, Object> outside = CatalystTypeConverters.createToScalaConverter(columns);
    List<Row> rows = new ArrayList<>();
    StateReads
        .rows(state(state), read, layout, columns.size(),
            classic(session).sessionState().newHadoopConf())
        .forEach(row -> rows.add((Row) outside.apply(row)));
    return session.createDataFrame(rows, columns);
  }

  /**
   * The folders, in the pipeline's own, of the other generations of states whose files a state
   * refers to; JSON list.
   *
   * @param state a {@link StateCommits}; partitions whose versions are gone are left out
   */
  public static String generations(SparkSession session, String state) {
    return Documents.write(
        StateReads.generations(state(state), classic(session).sessionState().newHadoopConf()));
  }

  /** Lets go what this process has open of states below a folder that was deleted. */
  public static void deleted(String folder) {
    StoreRegistry.closeBelow(folder);
  }

  /** How many rows and index keys the first {@code limit} rows of an index are. */
  public static long[] sample(SparkSession session, String state, int limit) {
    return StateReads.sample(state(state), limit, classic(session).sessionState().newHadoopConf());
  }

  /** Hashes of the index keys that have at least so many rows, about; JSON list. */
  public static String frequent(SparkSession session, String state, long least) {
    return StateReads.frequent(state(state), least, classic(session).sessionState().newHadoopConf())
        .keySet()
        .toString();
  }

  private static StateCommits state(String json) {
    return Documents.read(json, StateCommits.class);
  }

  private static StructType schema(String json) {
    return (StructType) DataType.fromJson(json);
  }

  private static org.apache.spark.sql.classic.SparkSession classic(SparkSession session) {
    return (org.apache.spark.sql.classic.SparkSession) session;
  }
}
