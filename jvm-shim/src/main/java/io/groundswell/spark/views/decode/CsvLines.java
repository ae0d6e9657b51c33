package io.groundswell.spark.views.decode;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.Mark;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVExprUtils$;
import org.apache.spark.sql.catalyst.csv.CSVHeaderChecker;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityParser;
import org.apache.spark.sql.catalyst.util.FailureSafeParser;
import org.apache.spark.sql.types.StructType;

/** The rows of lines of CSV: usual ones are read here, all others by Spark's parser. */
final class CsvLines extends DecodedLines {
  private final CsvReader reader;
  private final UnivocityParser parser;
  private final FailureSafeParser<String> safe;

  /**
   * @param columns of the file
   * @param read those that the rows have
   * @param filters over the rows' columns
   */
  CsvLines(
      Lines lines, StructType columns, StructType read, CSVOptions options, PushedFilters filters) {
    super(lines, new Layout(read, Uses.WHOLE));
    this.reader = new CsvReader(columns, layout(), CsvCoverage.pushed(filters, options), options);
    this.parser = new UnivocityParser(columns, read, options, Catalyst.nil());
    this.safe = new FailureSafeParser<>(Scala.mapping(line -> parser.parse().apply(line).toList()),
        options.parseMode(), read, options.columnNameOfCorruptRecord());
  }

  /** Takes the header off the lines, and checks it as Spark does. */
  void header(CSVHeaderChecker checker) {
    checker.checkHeaderColumnNames(new scala.collection.AbstractIterator<String>() {
      private boolean isReady;

      @Override
      public boolean hasNext() {
        isReady = isReady || lines.next();
        return isReady;
      }

      @Override
      public String next() {
        hasNext();
        isReady = false;
        return line();
      }
    }, parser.tokenizer());
  }

  private String line() {
    return new String(lines.bytes(), lines.start(), lines.length(), StandardCharsets.UTF_8);
  }

  @Override
  void read(DecodedRow row) {
    reader.read(lines.bytes(), lines.start(), lines.length(), row);
  }

  @Override
  scala.collection.Iterator<InternalRow> left() {
    Mark.LINE_OF_CSV_LEFT_TO_SPARK.hit();
    return CSVExprUtils$.MODULE$
        .filterCommentAndEmpty(Scala.seq(List.of(line())).iterator(), parser.options())
        .flatMap(Scala.mapping(safe::parse))
        .map(Scala.mapping(InternalRow::copy)); // the parser has one row for all lines
  }
}
