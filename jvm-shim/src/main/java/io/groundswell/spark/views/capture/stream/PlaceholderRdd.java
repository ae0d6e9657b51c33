package io.groundswell.spark.views.capture.stream;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;

/**
 * The RDD under a placeholder, which cannot be run. A source that a query reads twice appears with
 * new attribute ids but with this same RDD, so the RDD is what identifies the source.
 */
public final class PlaceholderRdd extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final String name;
  private final StructType schema;
  private final transient Dataset<Row> streaming;
  private final transient EventTime eventTime;
  private final String use;

  /**
   * @param key identifies the source in this JVM
   * @param name what the user calls it, or null
   * @param schema its columns
   * @param streaming the streaming frame it stands for; null: another view
   * @param eventTime its watermark, or null
   */
  public PlaceholderRdd(SparkContext context, String key, String name, StructType schema,
      Dataset<Row> streaming, EventTime eventTime) {
    this(context, key, name, schema, streaming, eventTime, null);
  }

  private PlaceholderRdd(SparkContext context, String key, String name, StructType schema,
      Dataset<Row> streaming, EventTime eventTime, String use) {
    super(context, Catalyst.nil(), Scala.classTag(InternalRow.class));
    this.key = key;
    this.name = name;
    this.schema = schema;
    this.streaming = streaming;
    this.eventTime = eventTime;
    this.use = use;
  }

  /** The same source, meant in another way. */
  public PlaceholderRdd as(String otherUse) {
    return new PlaceholderRdd(context(), key, name, schema, streaming, eventTime, otherUse);
  }

  /**
   * Null if its rows are meant; {@code now}: as they are when they are looked up; {@code late}:
   * those that came behind the watermark.
   */
  public String use() {
    return use;
  }

  public String key() {
    return key;
  }

  public String sourceName() {
    return name;
  }

  public StructType schema() {
    return schema;
  }

  /** Null if it stands for another view. */
  public Dataset<Row> streaming() {
    return streaming;
  }

  /** Null if it has no watermark. */
  public EventTime eventTime() {
    return eventTime;
  }

  /** Raises, for whoever runs a query over it: an empty result would pass for the rows. */
  @Override
  public Partition[] getPartitions() {
    throw new IllegalArgumentException("this DataFrame stands for "
        + (name == null ? "a stream" : name)
        + " in queries of views, and cannot be run: it has no rows itself. Make a view of it, as "
        + "pipeline.view(\"v\", df), and read the view: run.view(\"v\"), or gs.read_view(spark, "
        + "location, \"v\") in another process");
  }

  @Override
  public Iterator<InternalRow> compute(Partition split, TaskContext context) {
    throw new IllegalStateException("placeholder \"" + key + "\" has no rows to read");
  }
}
