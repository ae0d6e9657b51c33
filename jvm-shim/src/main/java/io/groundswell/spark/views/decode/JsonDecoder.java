package io.groundswell.spark.views.decode;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Decodes the texts of one task: clean ones here, all others by Spark's parser. */
public final class JsonDecoder {
  private final JsonToStructs spark;
  private final JsonReader reader;
  private final DecodedRow row;
  private final boolean copies;
  private long left;

  /**
   * @param spark of this task alone, for it keeps a parser
   * @param filters over the fields of the structs
   */
  JsonDecoder(JsonToStructs spark, Uses uses, PushedFilters filters) {
    Coverage coverage = Coverage.of(spark, uses);
    this.spark = spark;
    this.copies = uses.whole();
    if (coverage.reason() == null) {
      Layout layout = new Layout(coverage.schema(), coverage.uses());
      JSONOptions options = Coverage.options(spark);
      reader = new JsonReader(layout, Coverage.pushed(filters, options), options.zoneId(), false);
      row = new DecodedRow(layout);
    } else {
      reader = null;
      row = null;
    }
  }

  /**
   * The struct that a text says, null if Spark gives none; one of nulls if a filter drops it.
   * Unless the whole struct is wanted, it is good until the next call, and as long as the text is.
   */
  public InternalRow decode(UTF8String text) {
    if (reader != null) {
      try {
        read(text);
        return copies ? row.copy() : row;
      } catch (Unusual e) { // as below
      }
    }
    left++;
    return (InternalRow) spark.nullSafeEval(text);
  }

  /** How many texts were left to Spark's parser. */
  long left() {
    return left;
  }

  private void read(UTF8String text) {
    int length = text.numBytes();
    if (text.getBaseObject() instanceof byte[] bytes) {
      int from = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
      reader.read(bytes, from, length, row);
    } else {
      reader.read(text.getBytes(), 0, length, row);
    }
  }
}
