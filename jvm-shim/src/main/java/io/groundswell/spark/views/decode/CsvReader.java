package io.groundswell.spark.views.decode;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.types.StructType;

/**
 * Reads a line of CSV into a row. A line is usual if it has a field for each column, and each field
 * is either free of quotes, escapes and control characters or quoted as a whole. For one thread.
 */
final class CsvReader extends JsonNumbers {
  private static final int BYTES = 256;
  private static final byte PLAIN = 0;
  private static final byte DELIMITER = 1;
  private static final byte STOP = 2;

  private final Layout layout;
  private final int[] fields; // by column: the row's field, or -1
  private final byte[] classes = new byte[BYTES];
  private final byte delimiter;
  private final byte quote;
  private final int comment; // -1: there are none
  private final byte[] nullValue;
  private final boolean quotedNulls;
  private final int offset;
  private final RowTest test; // null: all rows are wanted

  /**
   * @param columns of the file, in order
   * @param layout of the columns that are read
   * @param filters that the rows have to meet to be wanted
   * @param options that {@link CsvCoverage} covers
   */
  CsvReader(StructType columns, Layout layout, PushedFilters filters, CSVOptions options) {
    this.layout = layout;
    this.test = RowTest.of(filters, layout.kinds.length);
    this.fields = new int[columns.length()];
    Arrays.setAll(fields, i -> Arrays.asList(layout.type.fields()).indexOf(columns.apply(i)));
    this.delimiter = (byte) options.delimiter().charAt(0);
    this.quote = (byte) options.quote();
    this.comment = options.isCommentSet() ? options.comment() : -1;
    this.nullValue = options.nullValue().getBytes(StandardCharsets.UTF_8);
    this.quotedNulls = options.nullValue().equals(options.emptyValueInRead());
    ZoneId zone = options.zoneId();
    this.offset = zone.normalized() instanceof ZoneOffset fixed ? fixed.getTotalSeconds()
                                                                : IsoTimes.NO_OFFSET;
    Arrays.fill(classes, 0, ' ', STOP);
    classes['\t'] = PLAIN;
    classes[quote] = STOP;
    classes[options.escape()] = STOP;
    classes[delimiter] = DELIMITER;
  }

  /**
   * Throws {@link Unusual} if Spark has to read the line. The row is one of nulls if a filter drops
   * it, whatever else the line says.
   */
  void read(byte[] text, int from, int length, DecodedRow row) {
    bytes = text;
    at = from;
    end = from + length;
    if (isBlank() || text[from] == comment) {
      throw Unusual.TEXT;
    }
    row.begin(text);
    if (test != null) {
      test.begin();
    }
    for (int column = 0; column < fields.length; column++) {
      field(row, fields[column]);
      boolean last = at == end;
      if (last != (column == fields.length - 1)) {
        throw Unusual.TEXT; // fewer fields than columns, or more
      }
      if (fields[column] >= 0 && test != null && test.rejects(row, fields[column])
          && end - at < CsvCoverage.MOST_COLUMNS) { // more fields may be an error
        row.begin(text);
        return;
      }
      at++;
    }
  }

  /** Whether there are only blanks, or what Java takes for them: Spark leaves out such lines. */
  private boolean isBlank() {
    int i = at;
    while (i < end && bytes[i] >= 0 && bytes[i] <= ' ') {
      i++;
    }
    return i == end;
  }

  private void field(DecodedRow row, int field) {
    byte[] in = bytes;
    boolean quoted = at < end && in[at] == quote;
    if (quoted) {
      at++;
    }
    int start = at;
    int i = start;
    int seen = 0;
    while (i < end) {
      byte b = in[i];
      byte kind = classes[b & 0xFF];
      if (kind == STOP || (kind == DELIMITER && !quoted)) {
        break;
      }
      seen |= b;
      i++;
    }
    if (quoted) {
      if (i == end || in[i] != quote || (i + 1 < end && in[i + 1] != delimiter)) {
        throw Unusual.TEXT;
      }
      at = i + 1;
    } else {
      if (i < end && in[i] != delimiter) {
        throw Unusual.TEXT;
      }
      at = i;
    }
    if (field >= 0) {
      value(row, field, start, i, quoted, seen >= 0);
    }
  }

  private void value(
      DecodedRow row, int field, int start, int stop, boolean quoted, boolean ascii) {
    if (start == stop) {
      if (quoted && !quotedNulls) {
        throw Unusual.TEXT;
      }
      row.setNull(field);
    } else if (Arrays.equals(bytes, start, stop, nullValue, 0, nullValue.length)) {
      row.setNull(field);
    } else if (layout.kinds[field] == Kind.STRING) {
      if (!ascii) {
        check(start, stop);
      }
      row.setText(field, start, stop - start);
    } else {
      int behind = at;
      int line = end;
      at = start;
      end = stop;
      row.setNumber(field, number(field, start, stop));
      if (at != stop) {
        throw Unusual.TEXT;
      }
      at = behind;
      end = line;
    }
  }

  /** Numbers as JSON writes them. */
  private long number(int field, int start, int stop) {
    return switch (layout.kinds[field]) {
      case BOOLEAN -> bool();
      case BYTE -> integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SHORT -> integer(Short.MIN_VALUE, Short.MAX_VALUE);
      case INT -> integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG -> integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> Float.floatToRawIntBits(decimalFloat());
      case DOUBLE -> Double.doubleToRawLongBits(decimalDouble());
      case DECIMAL -> plainDecimal(layout.precisions[field], layout.scales[field]);
      case DATE -> whole(IsoTimes.days(bytes, start, stop), stop);
      case TIMESTAMP -> whole(IsoTimes.micros(bytes, start, stop, offset), stop);
      case TIMESTAMP_NTZ ->
        whole(
            bytes[stop - 1] == 'Z' ? IsoTimes.NONE : IsoTimes.micros(bytes, start, stop, 0), stop);
      case STRING, STRUCT, ARRAY, MAP -> throw Unusual.TEXT;
    };
  }

  private long bool() {
    if (peek() == 't') {
      literal("true");
      return 1;
    }
    literal("false");
    return 0;
  }

  private long whole(long time, int stop) {
    if (time == IsoTimes.NONE) {
      throw Unusual.TEXT;
    }
    at = stop;
    return time;
  }

  private void check(int from, int to) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from));
    } catch (CharacterCodingException e) { // Spark puts other characters in their place
      throw Unusual.TEXT;
    }
  }
}
