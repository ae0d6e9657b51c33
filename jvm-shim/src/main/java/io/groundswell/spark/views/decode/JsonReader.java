package io.groundswell.spark.views.decode;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/** Reads a JSON object into a row. For one thread. */
final class JsonReader extends JsonNumbers {
  private static final long MICROS = 1_000_000;
  private static final long MAX_SECONDS = Long.MAX_VALUE / MICROS;

  private final ZoneId zone;
  private final boolean strict;
  private final int offset;
  private final Layout layout;
  private final RowTest test; // null: all rows are wanted
  private final byte[][] tested; // names of the fields that the test reads
  private int start;

  /**
   * @param layout of the objects
   * @param filters that the rows have to meet to be wanted
   * @param zone of timestamps that name none
   * @param strict whether a text that is no UTF-8 is unusual even where it is not read
   */
  JsonReader(Layout layout, PushedFilters filters, ZoneId zone, boolean strict) {
    this.layout = layout;
    this.test = RowTest.of(filters, layout.kinds.length);
    this.tested = test == null ? null : layout.names(test.fields());
    this.strict = strict;
    this.zone = zone;
    this.offset = zone.normalized() instanceof ZoneOffset fixed ? fixed.getTotalSeconds()
                                                                : IsoTimes.NO_OFFSET;
  }

  /**
   * Reads a text that is one object; throws {@link Unusual} if it is anything else. The row is one
   * of nulls if a filter drops it, whatever else the text says.
   */
  void read(byte[] text, int from, int length, DecodedRow row) {
    bytes = text;
    at = from;
    end = from + length;
    if (strict && !isAscii(from, end)) {
      checked(from, end);
    }
    spaces();
    expect('{');
    if (test != null) {
      test.begin();
    }
    object(row, layout, 0);
    spaces();
    if (at < end) {
      throw Unusual.TEXT;
    }
  }

  private void object(DecodedRow row, Layout layout, int depth) {
    row.begin(bytes);
    if (isEmpty('}')) {
      return;
    }
    do {
      int field = name(layout);
      colon();
      if (field < 0) {
        skip(depth);
      } else if (row.has(field)) {
        throw Unusual.TEXT;
      } else {
        value(row, layout, field, depth);
        if (depth == 0 && test != null && test.rejects(row, field) && !mayRepeat(tested)) {
          row.begin(bytes);
          at = end;
          return;
        }
      }
    } while (another('}'));
  }

  private int name(Layout layout) {
    expect('"');
    byte[] in = bytes;
    int from = at;
    int hash = Layout.seed();
    for (int i = from; i < end; i++) {
      byte b = in[i];
      if (b == '"') {
        at = i + 1;
        named(from);
        return layout.find(in, from, i, hash);
      }
      if (b == '\\' || (b >= 0 && b < ' ')) {
        break;
      }
      hash = Layout.step(hash, b);
    }
    throw Unusual.TEXT;
  }

  private void value(DecodedRow row, Layout layout, int field, int depth) {
    if (peek() == 'n') {
      literal("null");
      row.setNull(field);
      return;
    }
    switch (layout.kinds[field]) {
      case BOOLEAN -> row.setNumber(field, bool());
      case BYTE -> row.setNumber(field, integer(Byte.MIN_VALUE, Byte.MAX_VALUE));
      case SHORT -> row.setNumber(field, integer(Short.MIN_VALUE, Short.MAX_VALUE));
      case INT -> row.setNumber(field, integer(Integer.MIN_VALUE, Integer.MAX_VALUE));
      case LONG -> row.setNumber(field, integer(Long.MIN_VALUE, Long.MAX_VALUE));
      case FLOAT -> row.setNumber(field, Float.floatToRawIntBits(decimalFloat()));
      case DOUBLE -> row.setNumber(field, Double.doubleToRawLongBits(decimalDouble()));
      case DECIMAL -> row.setNumber(field, decimal(layout.precisions[field], layout.scales[field]));
      case STRING -> string(row, field);
      case DATE -> row.setNumber(field, date());
      case TIMESTAMP -> row.setNumber(field, timestamp());
      case TIMESTAMP_NTZ -> row.setNumber(field, localTime());
      case STRUCT -> {
        expect('{');
        object(row.struct(field), layout.inner[field], deeper(depth));
      }
      case ARRAY -> row.setObject(field, array(layout.inner[field], deeper(depth)));
      case MAP -> row.setObject(field, map(layout.inner[field], deeper(depth)));
    }
  }

  private long bool() {
    if (peek() == 't') {
      literal("true");
      return 1;
    }
    literal("false");
    return 0;
  }

  private void string(DecodedRow row, int field) {
    byte b = next();
    if (b != '"') {
      row.setText(field, at - 1, plainWord(b));
      return;
    }
    int from = at;
    int to = stretch();
    if (bytes[to] == '"') {
      at = to + 1;
      if (isAscii(from, to)) {
        row.setText(field, from, to - from);
      } else {
        row.setText(field, from, checked(from, to));
      }
    } else {
      row.setObject(field, unescaped(from, to));
    }
  }

  /** The length of a whole number or truth value, which Spark writes as it stands. */
  private int plainWord(byte first) {
    int from = --at;
    if (first == 't' || first == 'f') {
      bool();
    } else {
      integer(Long.MIN_VALUE, Long.MAX_VALUE);
    }
    return at - from;
  }

  private int checked(int from, int to) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from));
      return to - from;
    } catch (CharacterCodingException e) { // Spark puts other characters in their place
      throw Unusual.TEXT;
    }
  }

  private UTF8String unescaped(int from, int firstEscape) {
    StringBuilder out = new StringBuilder();
    int begin = from;
    at = firstEscape;
    while (true) {
      out.append(new String(bytes, begin, checked(begin, at), StandardCharsets.UTF_8));
      if (next() == '"') {
        return UTF8String.fromString(out.toString());
      }
      out.append(escaped());
      begin = at;
      at = stretch();
    }
  }

  private String escaped() {
    byte b = next();
    int known = "\"\\/bfnrt".indexOf(b);
    if (known >= 0) {
      return String.valueOf("\"\\/\b\f\n\r\t".charAt(known));
    }
    if (b != 'u') {
      throw Unusual.TEXT;
    }
    char first = (char) hex4();
    if (!Character.isSurrogate(first)) {
      return String.valueOf(first);
    }
    expect('\\');
    expect('u');
    char second = (char) hex4();
    if (!Character.isSurrogatePair(first, second)) {
      throw Unusual.TEXT;
    }
    return new String(new char[] {first, second});
  }

  /** A string of ASCII that is not empty: it begins at {@code start}. */
  private void text() {
    expect('"');
    start = at;
    if (plainString() == start) {
      throw Unusual.TEXT;
    }
  }

  /** The same, as Spark's functions for texts take it. */
  private UTF8String taken() {
    return UTF8String.fromBytes(bytes, start, at - 1 - start);
  }

  private long date() {
    text();
    long days = IsoTimes.days(bytes, start, at - 1);
    return days != IsoTimes.NONE ? days : (Integer) parsed(DateTimeUtils.stringToDate(taken()));
  }

  private long localTime() {
    text();
    long micros = IsoTimes.micros(bytes, start, at - 1, 0);
    return micros != IsoTimes.NONE && bytes[at - 2] != 'Z'
        ? micros
        : (Long) parsed(DateTimeUtils.stringToTimestampWithoutTimeZone(taken(), false));
  }

  private static Object parsed(Option<Object> value) {
    if (value.isEmpty()) {
      throw Unusual.TEXT;
    }
    return value.get();
  }

  private long timestamp() {
    if (peek() != '"') {
      return integer(-MAX_SECONDS, MAX_SECONDS) * MICROS;
    }
    text();
    long micros = IsoTimes.micros(bytes, start, at - 1, offset);
    return micros != IsoTimes.NONE ? micros
                                   : (Long) parsed(DateTimeUtils.stringToTimestamp(taken(), zone));
  }

  private GenericArrayData array(Layout element, int depth) {
    expect('[');
    List<Object> values = new ArrayList<>();
    if (!isEmpty(']')) {
      DecodedRow holder = new DecodedRow(element);
      do {
        holder.begin(bytes);
        value(holder, element, 0, depth);
        values.add(holder.value(0));
      } while (another(']'));
    }
    return new GenericArrayData(values.toArray());
  }

  private ArrayBasedMapData map(Layout element, int depth) {
    expect('{');
    List<Object> keys = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    if (!isEmpty('}')) {
      DecodedRow holder = new DecodedRow(element);
      do {
        UTF8String key = key();
        if (keys.contains(key)) {
          throw Unusual.TEXT;
        }
        keys.add(key);
        colon();
        holder.begin(bytes);
        value(holder, element, 0, depth);
        values.add(holder.value(0));
      } while (another('}'));
    }
    return new ArrayBasedMapData(
        new GenericArrayData(keys.toArray()), new GenericArrayData(values.toArray()));
  }

  private UTF8String key() {
    expect('"');
    int from = at;
    int to = plainString();
    named(from);
    return UTF8String.fromBytes(bytes, from, to - from).copy();
  }
}
