package io.groundswell.spark.views.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.Mark;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.CreateJacksonParser$;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JacksonParser;
import org.apache.spark.sql.catalyst.util.FailureSafeParser;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.runtime.AbstractFunction2;

/** The rows of lines of JSON. */
final class JsonLines extends DecodedLines {
  private final JsonReader reader;
  private final FailureSafeParser<Text> spark;

  /**
   * @param coverage of the schema; with a reason, Spark's parser reads all lines
   * @param filters over the columns
   */
  JsonLines(Lines lines, StructType schema, Coverage coverage, JSONOptions options,
      PushedFilters filters) {
    super(lines, coverage.reason() == null ? new Layout(schema, coverage.uses()) : null);
    this.reader = layout() == null
        ? null
        : new JsonReader(layout(), Coverage.pushed(filters, options), options.zoneId(), true);
    this.spark = parser(schema, options);
  }

  /** Spark's parser, as its reader of files calls it. */
  static FailureSafeParser<Text> parser(StructType schema, JSONOptions options) {
    JacksonParser parser = new JacksonParser(schema, options, true, Catalyst.nil());
    return new FailureSafeParser<>(
        Scala.mapping(line
            -> parser.parse(line, new Parsing(),
                Scala.mapping(
                    (Text text) -> UTF8String.fromBytes(text.getBytes(), 0, text.getLength())))),
        options.parseMode(), schema, options.columnNameOfCorruptRecord());
  }

  /** Jackson's parser of a line's bytes. */
  private static final class Parsing extends AbstractFunction2<JsonFactory, Text, JsonParser> {
    @Override
    public JsonParser apply(JsonFactory factory, Text line) {
      return CreateJacksonParser$.MODULE$.text(factory, line);
    }
  }

  @Override
  void read(DecodedRow row) {
    reader.read(lines.bytes(), lines.start(), lines.length(), row);
  }

  @Override
  scala.collection.Iterator<InternalRow> left() {
    Mark.LINE_LEFT_TO_SPARK.hit();
    Text line = new Text();
    line.set(lines.bytes(), lines.start(), lines.length());
    return spark.parse(line);
  }
}
