package io.groundswell.spark.bridge;

import io.groundswell.spark.capture.Json;
import io.groundswell.spark.dataflow.StoreRegistry;
import io.groundswell.spark.dataflow.Views;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A materialised view as a DataFrame, as of one epoch. Nothing is read before the frame is used,
 * and then by the tasks; the process need not be the one that keeps the view.
 */
public final class ViewReader {
  /** Spark's own column of a change row: insert, delete, update_preimage, update_postimage. */
  public static final String CHANGE_TYPE = "_change_type";

  private ViewReader() {}

  /**
   * @param root the dataflow's root folder
   * @param state the view's state
   * @param schema JSON of the view's columns
   * @param commits JSON list of the state's commits, from the epoch to be read
   */
  public static Dataset<Row> rows(
      SparkSession session, String root, String state, String schema, String commits) {
    StructType columns = schema(schema);
    return classic(session)
        .internalCreateDataFrame(
            Views.rows(
                classic(session), StoreRegistry.folder(root, state), columns.size(),
                Json.parse(commits)),
            columns,
            false);
  }

  /** What {@code epoch} changed in the view; the two rows of an update are adjacent. */
  public static Dataset<Row> changes(
      SparkSession session, String root, String state, String schema, String commits, long epoch) {
    StructType columns = schema(schema);
    return classic(session)
        .internalCreateDataFrame(
            Views.changes(
                classic(session), StoreRegistry.folder(root, state), columns.size(),
                Json.parse(commits), epoch),
            columns.add(CHANGE_TYPE, DataTypes.StringType, false),
            false);
  }

  private static StructType schema(String json) {
    return (StructType) DataType.fromJson(json);
  }

  private static org.apache.spark.sql.classic.SparkSession classic(SparkSession session) {
    return (org.apache.spark.sql.classic.SparkSession) session;
  }
}
