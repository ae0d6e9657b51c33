package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.Mark;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVHeaderChecker;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/** Reads files of lines of CSV. */
final class CsvFiles extends DecodedFiles {
  private static final String SETTING = "spark.groundswell.fastCsv";
  private static final long serialVersionUID = 1L;

  private final StructType columns;
  private final StructType read;
  private final CSVOptions options;
  private final PushedFilters filters;

  CsvFiles(Broadcast<SerializableConfiguration> conf, StructType columns, StructType read,
      Map<String, String> options, SQLConf settings, PushedFilters filters) {
    super(conf);
    this.filters = filters;
    this.columns = columns;
    this.read = read;
    this.options = options(options, settings);
  }

  private static CSVOptions options(Map<String, String> options, SQLConf settings) {
    return new CSVOptions(options, settings.csvColumnPruning(), settings.sessionLocalTimeZone(),
        settings.columnNameOfCorruptRecord());
  }

  /** Why Spark's parser has to read all lines; null: it need not. */
  static String reason(
      StructType columns, StructType read, Map<String, String> options, SQLConf settings) {
    return !Boolean.parseBoolean(settings.getConfString(SETTING, "true"))
        ? SETTING + "=false"
        : CsvCoverage.reason(columns, read, Scala.list(options.keys()), options(options, settings));
  }

  @Override
  public Iterator<InternalRow> apply(PartitionedFile file) {
    Mark.FILE_OF_CSV_DECODED.hit();
    Lines lines = Lines.of(file, options.lineSeparatorInRead(), conf.value().value());
    CsvLines rows = new CsvLines(lines, columns, read, options, filters);
    rows.header(new CSVHeaderChecker(options.isColumnPruningEnabled(read) ? read : columns, options,
        "CSV file: " + file.urlEncodedPath(), file.start() == 0));
    return CollectionConverters.asScala(rows);
  }
}
