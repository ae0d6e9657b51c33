package io.groundswell.spark.views.decode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Schemas, options, and lines that are CSV of them, nearly so, or anything. */
final class RandomCsv {
  private static final List<DataType> TYPES = List.of(DataTypes.BooleanType, DataTypes.ByteType,
      DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType, DataTypes.FloatType,
      DataTypes.DoubleType, DataTypes.StringType, DataTypes.StringType, DataTypes.DateType,
      DataTypes.TimestampType, DataTypes.TimestampNTZType, DataTypes.createDecimalType(5, 2),
      DataTypes.createDecimalType(18, 0), DataTypes.createDecimalType(18, 18),
      DataTypes.createDecimalType(38, 4));

  private static final List<String> FIELDS = List.of("", "", "\"\"", "''", "\"", "a\"b", "\"a\"b",
      "\"a\"\"b\"", "\"a\\\"b\"", "\"a,b\"", "\"a;b\"", "'a,b'", "\\", "a\\b", "\"\\\\\"", "\"a",
      "a\"", " \"a\"", "\"a\" ", "\"a\"\t", " a", "a ", "\ta", "a\t", "\t", " ", "\u0000",
      "a\u0000", "\u0001", "\u007f", "\u0085", "\u00a0", "\u2028", "\uFEFF", "#", "#a", "NULL",
      "null", "\\N", "-", "NaN", "Inf", "-Inf", "Infinity", "nan", "true", "false", "TRUE", "True",
      "t", "yes", "0", "-0", "+1", "007", "1.", ".5", "-.5", "1e5", "1E-5", "1e400", "0x1F", "1d",
      "5f", "1,5", "\"1,5\"", "1_000", "١", "127", "128", "-129", "32768", "2147483648",
      "9223372036854775807", "9223372036854775808", "-9223372036854775808", "999999999999999999",
      "1000000000000000000", "0.1", "999.995", "999.99", "1000.00", "16777217", "3.4028236e38",
      "0.30000000000000004", "9007199254740993", "4.9e-324", "123456789012345678901234567890",
      "0.123456789012345678", "2024-02-29", "2023-02-29", "2024-1-2", "2024", "12024-01-01",
      "0000-01-01", "0001-01-01", "1582-10-10", "-0044-03-15", "2024-02-29T12:34:56",
      "2024-02-29 12:34:56.789", "2024-02-29T12:34:56.123456Z", "2024-02-29T12:34:56.1234567+05:30",
      "2024-02-29 24:00:00", "2024-03-10T02:30:00", "2024-10-27T02:30:00 Europe/Berlin", "12:34",
      "9999-12-31 23:59:59.999999", "epoch", "now", "today", "20240229", "02/29/2024", "größe",
      "日本語", "😀", "a|b", "a;b", "a:b", "https://example.org/?a=1&b=2");

  private static final Map<String, List<String>> OPTIONS =
      Map.ofEntries(Map.entry("sep", List.of(";", "|", "\t", "\\t", "||", " ", "a", "#")),
          Map.entry("quote", List.of("'", "", "\"", "\u0000")),
          Map.entry("escape", List.of("\"", "", "'", "\\")),
          Map.entry("charToEscapeQuoteEscaping", List.of("\\")),
          Map.entry("comment", List.of("#", "a", "-", "\"")),
          Map.entry("header", List.of("true", "false", "true")),
          Map.entry("enforceSchema", List.of("true", "false")),
          Map.entry("ignoreLeadingWhiteSpace", List.of("true", "false")),
          Map.entry("ignoreTrailingWhiteSpace", List.of("true", "false")),
          Map.entry("nullValue", List.of("NULL", "\\N", "-", "0", "größe", "\"")),
          Map.entry("emptyValue", List.of("", "NULL", "empty")),
          Map.entry("nanValue", List.of("0", "-")), Map.entry("positiveInf", List.of("1.")),
          Map.entry("negativeInf", List.of("-Inf")),
          Map.entry("dateFormat", List.of("yyyy-MM-dd", "MM/dd/yyyy")),
          Map.entry("timestampFormat", List.of("yyyy-MM-dd HH:mm:ss")),
          Map.entry("preferDate", List.of("true", "false")),
          Map.entry("enableDateTimeParsingFallback", List.of("true", "false")),
          Map.entry("timeZone", List.of("UTC", "Europe/Berlin", "+05:30")),
          Map.entry("locale", List.of("de-DE", "en-US")),
          Map.entry("mode", List.of("PERMISSIVE", "FAILFAST", "DROPMALFORMED")),
          Map.entry("columnNameOfCorruptRecord", List.of("b", "other")),
          Map.entry("multiLine", List.of("true", "false")),
          Map.entry("encoding", List.of("UTF-8", "utf-8", "ISO-8859-1", "UTF-16")),
          Map.entry("lineSep", List.of("\n", "\r", "a")),
          Map.entry("unescapedQuoteHandling",
              List.of("STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR")),
          Map.entry("maxCharsPerColumn", List.of("3")), Map.entry("maxColumns", List.of("2")),
          Map.entry("columnPruning", List.of("true", "false")),
          Map.entry("inferSchema", List.of("true")));

  private final Random random;
  private final int oddity;

  /**
   * @param oddity one in how many things is not as it should be
   */
  RandomCsv(Random random, int oddity) {
    this.random = random;
    this.oddity = oddity;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean odd() {
    return random.nextInt(oddity) == 0;
  }

  StructType schema() {
    StructType type = new StructType();
    for (int n = random.nextInt(6) + 1; n > 0; n--) {
      String name = String.valueOf((char) ('a' + type.length()));
      type = type.add(odd() && type.length() > 0 ? "A" : name, one(TYPES), !odd());
    }
    return type;
  }

  /** All or some columns of a schema, as scans want them: in their order. */
  StructType some(StructType schema) {
    int odds = random.nextInt(3);
    return new StructType(List.of(schema.fields())
            .stream()
            .filter(field -> odds == 0 || random.nextBoolean())
            .toArray(StructField[] ::new));
  }

  Map<String, String> options() {
    Map<String, String> options = new HashMap<>();
    List<String> names = OPTIONS.keySet().stream().sorted().toList();
    for (int n = random.nextInt(4); n > 0; n--) {
      String name = one(names);
      options.put(name, one(OPTIONS.get(name)));
    }
    return options;
  }

  /** Lines for a schema. */
  List<byte[]> lines(StructType schema, String delimiter, char quote) {
    List<byte[]> lines = new ArrayList<>();
    if (!odd()) {
      lines.add(bytes(String.join(delimiter, schema.fieldNames())));
    }
    for (int n = random.nextInt(12); n > 0; n--) {
      lines.add(line(schema, delimiter, quote));
    }
    return lines;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private byte[] line(StructType schema, String delimiter, char quote) {
    if (odd()) {
      byte[] any = new byte[random.nextInt(40)];
      random.nextBytes(any);
      withoutEnds(any);
      return odd() ? any : bytes(one(List.of("", " ", "\t", "\t\t", "#", " #", delimiter)));
    }
    StringBuilder line = new StringBuilder();
    int count = schema.length() + (odd() ? random.nextInt(3) - 1 : 0);
    for (int i = 0; i < count; i++) {
      DataType type = schema.apply(Math.min(i, schema.length() - 1)).dataType();
      String field = odd() ? one(FIELDS) : field(type);
      boolean quoted = odd() || random.nextInt(8) == 0;
      line.append(i == 0 ? "" : delimiter).append(quoted ? quote + field + quote : field);
    }
    byte[] bytes = bytes(line.toString());
    if (odd() && bytes.length > 0) {
      int at = random.nextInt(bytes.length);
      bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(256)
                                               : "\"\\,;#'\t -0".charAt(random.nextInt(10)));
    }
    withoutEnds(bytes);
    return bytes;
  }

  /** Neither feeds nor returns: lines would end there. */
  private static void withoutEnds(byte[] line) {
    for (int i = 0; i < line.length; i++) {
      line[i] = line[i] == '\n' || line[i] == '\r' ? (byte) '"' : line[i];
    }
  }

  private String field(DataType type) {
    if (random.nextInt(8) == 0) {
      return "";
    }
    if (type.equals(DataTypes.BooleanType)) {
      return String.valueOf(random.nextBoolean());
    } else if (type.equals(DataTypes.StringType)) {
      return one(List.of("abc", "größe", "a b", "x", "https://example.org/?a=1&b=2", "😀"));
    } else if (type.equals(DataTypes.DateType)) {
      return date();
    } else if (type.equals(DataTypes.TimestampType) || type.equals(DataTypes.TimestampNTZType)) {
      return date() + one(List.of(" ", "T"))
          + String.format(
              "%02d:%02d:%02d", random.nextInt(25), random.nextInt(61), random.nextInt(61))
          + one(List.of("", ".5", ".123456", "Z", ".7Z"));
    } else if (type.equals(DataTypes.DoubleType)) {
      return String.valueOf(random.nextBoolean() ? random.nextInt(1000) / 8.0
                                                 : Double.longBitsToDouble(random.nextLong()));
    } else if (type.equals(DataTypes.FloatType)) {
      return String.valueOf(random.nextFloat());
    } else if (type.equals(DataTypes.LongType)) {
      return String.valueOf(random.nextLong() >> random.nextInt(64));
    }
    return String.valueOf(random.nextInt(100) - 20);
  }

  private String date() {
    return String.format("%04d-%02d-%02d",
        random.nextInt(10) == 0 ? random.nextInt(10_000) : 2020 + random.nextInt(5),
        random.nextInt(14), random.nextInt(33));
  }
}
