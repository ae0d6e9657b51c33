package io.groundswell.spark.views.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.Mark;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.CreateJacksonParser$;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JacksonParser;
import org.apache.spark.sql.catalyst.util.FailureSafeParser;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.runtime.AbstractFunction2;

/** The rows of lines of JSON: clean ones are read here, all others by Spark's parser. */
final class JsonLines implements Iterator<InternalRow> {
  private final scala.collection.Iterator<Text> lines;
  private final Layout layout;
  private final JsonReader reader;

  // A row is good until the next is taken, also while the line after it is looked at: two by turns.
  private final DecodedRow[] rows = new DecodedRow[2];
  private final byte[][] texts = new byte[2][0];
  private int turn;

  private final FailureSafeParser<Text> spark;
  private scala.collection.Iterator<InternalRow> rest = scala.collection.Iterator.empty();
  private InternalRow ready;
  private long left;

  /**
   * @param coverage of the schema; with a reason, Spark's parser reads all lines
   */
  JsonLines(scala.collection.Iterator<Text> lines, StructType schema, Coverage coverage,
      JSONOptions options) {
    boolean covered = coverage.reason() == null;
    this.lines = lines;
    this.layout = covered ? new Layout(schema, coverage.uses()) : null;
    this.reader = covered ? new JsonReader(options.zoneId(), true) : null;
    this.spark = parser(schema, options);
    for (int i = 0; covered && i < rows.length; i++) {
      rows[i] = new DecodedRow(layout);
    }
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
  public boolean hasNext() {
    while (ready == null) {
      if (rest.hasNext()) {
        ready = rest.next();
      } else if (lines.hasNext()) {
        take(lines.next());
      } else {
        return false;
      }
    }
    return true;
  }

  private void take(Text line) {
    if (reader != null) {
      int other = 1 - turn;
      int length = line.getLength();
      if (texts[other].length < length) {
        texts[other] = new byte[2 * length];
      }
      System.arraycopy(line.getBytes(), 0, texts[other], 0, length);
      try {
        reader.read(texts[other], 0, length, rows[other], layout);
        ready = rows[other];
        turn = other;
        return;
      } catch (Unusual e) { // as below
        Mark.LINE_LEFT_TO_SPARK.hit();
      }
    }
    left++;
    rest = spark.parse(line);
  }

  /** The next row; a row is good until the next is asked for. */
  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    InternalRow next = ready;
    ready = null;
    return next;
  }

  /** How many lines were left to Spark's parser. */
  long left() {
    return left;
  }
}
