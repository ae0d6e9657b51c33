package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.Mark;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/** Reads files of lines of JSON. */
final class JsonFiles extends DecodedFiles {
  private static final long serialVersionUID = 1L;

  private final StructType schema;
  private final Map<String, String> options;
  private final String zone;
  private final String corrupt;
  private final PushedFilters filters;

  JsonFiles(Broadcast<SerializableConfiguration> conf, StructType schema,
      Map<String, String> options, SQLConf settings, PushedFilters filters) {
    super(conf);
    this.filters = filters;
    this.schema = schema;
    this.options = options;
    this.zone = settings.sessionLocalTimeZone();
    this.corrupt = settings.columnNameOfCorruptRecord();
  }

  /** Why Spark's parser has to read all lines; null: it need not. */
  static String reason(StructType schema, Map<String, String> options, SQLConf settings) {
    return !Decoding.isOn()
        ? Decoding.OFF
        : Coverage
              .ofLines(schema, Scala.list(options.keys()),
                  new JSONOptionsInRead(options, settings.sessionLocalTimeZone(),
                      settings.columnNameOfCorruptRecord()))
              .reason();
  }

  @Override
  public Iterator<InternalRow> apply(PartitionedFile file) {
    Mark.FILE_OF_JSON_DECODED.hit();
    JSONOptions parsed = new JSONOptionsInRead(options, zone, corrupt);
    Lines lines = Lines.of(file, parsed.lineSeparatorInRead(), conf.value().value());
    Coverage coverage = Coverage.ofLines(schema, Scala.list(options.keys()), parsed);
    return CollectionConverters.asScala(new JsonLines(lines, schema, coverage, parsed, filters));
  }
}
