package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import java.io.Serializable;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.runtime.AbstractFunction1;

/** Reads files of lines, in the place of Spark's reading function. */
public abstract class DecodedFiles
    extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
  private static final long serialVersionUID = 1L;

  protected final Broadcast<SerializableConfiguration> conf;

  DecodedFiles(Broadcast<SerializableConfiguration> conf) {
    this.conf = conf;
  }

  /**
   * What reads the files of a scan; null: Spark does, for it reads something else.
   *
   * @param filters over the scan's columns
   */
  public static DecodedFiles of(FileSourceScanExec scan, PushedFilters filters) {
    HadoopFsRelation relation = scan.relation();
    if (!(relation.sparkSession() instanceof SparkSession session)
        || relation.partitionSchema().length() > 0 || scan.dataFilters().nonEmpty()
        || scan.output().length() != scan.requiredSchema().length()
        || scan.requiredSchema().exists(Scala.function(field -> !field.nullable()))) {
      return null;
    }
    SQLConf settings = session.sessionState().conf();
    Class<?> format = relation.fileFormat().getClass();
    StructType read = scan.requiredSchema();
    if (format.equals(JsonFileFormat.class)
        && JsonFiles.reason(read, relation.options(), settings) == null) {
      return new JsonFiles(conf(session, relation), read, relation.options(), settings, filters);
    }
    if (format.equals(CSVFileFormat.class)
        && CsvFiles.reason(relation.dataSchema(), read, relation.options(), settings) == null) {
      return new CsvFiles(conf(session, relation), relation.dataSchema(), read, relation.options(),
          settings, filters);
    }
    return null;
  }

  private static Broadcast<SerializableConfiguration> conf(
      SparkSession session, HadoopFsRelation relation) {
    return SerializableConfiguration.broadcast(session.sparkContext(),
        session.sessionState().newHadoopConfWithOptions(relation.options()));
  }

  /** Why Spark reads a stream of lines, for people; null: it does not, or is none. */
  static String note(LogicalPlan plan) {
    if (!(plan instanceof StreamingRelation stream)) {
      return null;
    }
    StructType schema = stream.schema();
    Map<String, String> options = stream.dataSource().options();
    return switch (stream.dataSource().className().toLowerCase(java.util.Locale.ROOT)) {
      case "json" -> note("Files of JSON", JsonFiles.reason(schema, options, SQLConf.get()));
      case "csv" -> note("Files of CSV", CsvFiles.reason(schema, schema, options, SQLConf.get()));
      default -> null;
    };
  }

  private static String note(String what, String reason) {
    return reason == null ? null : Decoding.told(what, reason, "lines");
  }
}
