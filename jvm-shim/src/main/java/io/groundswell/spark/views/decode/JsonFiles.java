package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.Mark;
import java.io.Serializable;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.datasources.HadoopFileLinesReader;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** Reads files of lines of JSON, in the place of Spark's reading function. */
public final class JsonFiles
    extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
  private static final long serialVersionUID = 1L;

  private final Broadcast<SerializableConfiguration> conf;
  private final StructType schema;
  private final Map<String, String> options;
  private final String zone;
  private final String corrupt;

  private JsonFiles(Broadcast<SerializableConfiguration> conf, StructType schema,
      Map<String, String> options, SQLConf settings) {
    this.conf = conf;
    this.schema = schema;
    this.options = options;
    this.zone = settings.sessionLocalTimeZone();
    this.corrupt = settings.columnNameOfCorruptRecord();
  }

  /** What reads the files of a scan; null: Spark does, for it reads something else. */
  public static JsonFiles of(FileSourceScanExec scan) {
    HadoopFsRelation relation = scan.relation();
    if (!relation.fileFormat().getClass().equals(JsonFileFormat.class)
        || !(relation.sparkSession() instanceof SparkSession session) || !Decoding.isOn()
        || relation.partitionSchema().length() > 0 || scan.dataFilters().nonEmpty()
        || scan.output().length() != scan.requiredSchema().length()
        || scan.requiredSchema().exists(Scala.function(field -> !field.nullable()))) {
      return null;
    }
    SQLConf settings = session.sessionState().conf();
    if (coverage(scan.requiredSchema(), relation.options(), settings).reason() != null) {
      return null;
    }
    return new JsonFiles(SerializableConfiguration.broadcast(session.sparkContext(),
                             session.sessionState().newHadoopConfWithOptions(relation.options())),
        scan.requiredSchema(), relation.options(), settings);
  }

  /** Why Spark reads a stream of lines of JSON, for people; null: it does not, or is none. */
  static String note(LogicalPlan plan) {
    if (!(plan instanceof StreamingRelation stream)
        || !stream.dataSource().className().equalsIgnoreCase("json")) {
      return null;
    }
    String reason = Decoding.isOn()
        ? coverage(stream.schema(), stream.dataSource().options(), SQLConf.get()).reason()
        : Decoding.OFF;
    return reason == null ? null : Decoding.told("Files of JSON", reason, "lines");
  }

  private static Coverage coverage(
      StructType schema, Map<String, String> options, SQLConf settings) {
    return Coverage.ofLines(schema, Scala.list(options.keys()),
        new JSONOptionsInRead(
            options, settings.sessionLocalTimeZone(), settings.columnNameOfCorruptRecord()));
  }

  @Override
  public Iterator<InternalRow> apply(PartitionedFile file) {
    Mark.FILE_OF_JSON_DECODED.hit();
    JSONOptions parsed = new JSONOptionsInRead(options, zone, corrupt);
    HadoopFileLinesReader lines =
        new HadoopFileLinesReader(file, parsed.lineSeparatorInRead(), conf.value().value());
    if (TaskContext.get() != null) {
      TaskContext.get().addTaskCompletionListener((TaskCompletionListener) task -> lines.close());
    }
    Coverage coverage = Coverage.ofLines(schema, Scala.list(options.keys()), parsed);
    return CollectionConverters.asScala(new JsonLines(lines, schema, coverage, parsed));
  }
}
