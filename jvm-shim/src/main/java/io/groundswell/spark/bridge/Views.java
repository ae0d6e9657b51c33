package io.groundswell.spark.bridge;

import io.groundswell.spark.capture.Json;
import io.groundswell.spark.dataflow.ViewRows;
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
public final class Views {
  /** Spark's own column of a change row: insert, delete, update_preimage, update_postimage. */
  public static final String CHANGE_TYPE = "_change_type";

  private Views() {}

  /**
   * @param folder where the view's state is: the dataflow's root, "state", the state's name
   * @param commits JSON list of the state's commits, from the epoch to be read
   * @param schema JSON of the view's columns
   */
  public static Dataset<Row> rows(
      SparkSession session, String folder, String commits, String schema) {
    StructType columns = schema(schema);
    return classic(session).internalCreateDataFrame(
        ViewRows.rows(classic(session), folder, columns.size(), Json.parse(commits)), columns,
        false);
  }

  /** What {@code epoch} changed in the view; the two rows of an update are adjacent. */
  public static Dataset<Row> changes(
      SparkSession session, String folder, String commits, String schema, long epoch) {
    StructType columns = schema(schema);
    return classic(session).internalCreateDataFrame(
        ViewRows.changes(classic(session), folder, columns.size(), Json.parse(commits), epoch),
        columns.add(CHANGE_TYPE, DataTypes.StringType, false), false);
  }

  private static StructType schema(String json) {
    return (StructType) DataType.fromJson(json);
  }

  private static org.apache.spark.sql.classic.SparkSession classic(SparkSession session) {
    return (org.apache.spark.sql.classic.SparkSession) session;
  }
}
