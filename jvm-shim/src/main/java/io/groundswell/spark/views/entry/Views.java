package io.groundswell.spark.views.entry;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.dataflow.state.StateReads;
import io.groundswell.spark.views.dataflow.state.ViewRows;
import io.groundswell.spark.views.operator.lookup.IndexLayout;
import io.groundswell.spark.views.operator.lookup.PointRead;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
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

  /**
   * The rows of one key, read at once and by this process: the frame holds them, and collecting it
   * starts no job.
   *
   * @param key a frame whose columns are constants: the values of the key
   *     an index may be given the first values only
   * @param index JSON of {index, key}: positions of the index columns and of the stream key; empty:
   *     the state is a view
   */
  public static Dataset<Row> lookup(SparkSession session, String folder, String commits,
      String schema, Dataset<Row> key, String index) {
    StructType columns = schema(schema);
    IndexLayout layout = index.isEmpty() ? null : layout(columns, Json.parse(index));
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
        .rows(folder, Json.parse(commits), read, layout, columns.size(),
            classic(session).sessionState().newHadoopConf())
        .forEach(row -> rows.add((Row) outside.apply(row)));
    return session.createDataFrame(rows, columns);
  }

  /** How many rows and index keys the first {@code limit} rows of an index are. */
  public static long[] sample(SparkSession session, String folder, String commits, int limit) {
    return StateReads.sample(
        folder, Json.parse(commits), limit, classic(session).sessionState().newHadoopConf());
  }

  /** Hashes of the index keys that have at least so many rows, about; JSON list. */
  public static String frequent(SparkSession session, String folder, String commits, long least) {
    return StateReads
        .frequent(
            folder, Json.parse(commits), least, classic(session).sessionState().newHadoopConf())
        .keySet()
        .toString();
  }

  private static IndexLayout layout(StructType schema, JsonNode index) {
    List<Column> columns = new ArrayList<>();
    for (StructField field : schema.fields()) {
      columns.add(new Column(field.name(), field.name(), field.dataType(), field.nullable()));
    }
    return new IndexLayout(columns, positions(index.path("index")), positions(index.path("key")));
  }

  private static int[] positions(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).mapToInt(JsonNode::asInt).toArray();
  }

  private static StructType schema(String json) {
    return (StructType) DataType.fromJson(json);
  }

  private static org.apache.spark.sql.classic.SparkSession classic(SparkSession session) {
    return (org.apache.spark.sql.classic.SparkSession) session;
  }
}
