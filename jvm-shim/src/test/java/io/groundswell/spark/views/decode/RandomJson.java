package io.groundswell.spark.views.decode;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Schemas, and texts that are JSON of them, nearly so, or anything. */
final class RandomJson {
  private static final List<DataType> SCALARS = List.of(DataTypes.BooleanType, DataTypes.ByteType,
      DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType, DataTypes.FloatType,
      DataTypes.DoubleType, DataTypes.StringType, DataTypes.DateType, DataTypes.TimestampType,
      DataTypes.TimestampNTZType, DataTypes.BinaryType, DataTypes.createDecimalType(5, 2),
      DataTypes.createDecimalType(18, 0), DataTypes.createDecimalType(18, 18),
      DataTypes.createDecimalType(38, 4));

  private static final List<String> NAMES =
      List.of("a", "b", "id", "price", "Price", "name", "größe", "ts", "a b", "deep", "x", "y");

  private static final List<String> NUMBERS = List.of("0", "-0", "1", "-1", "7", "42", "127", "128",
      "-129", "200", "255", "256", "32767", "32768", "65535", "2147483647", "2147483648",
      "-2147483649", "999999999999999999", "1000000000000000000", "9223372036854775807",
      "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890", "0.0",
      "-0.0", "0.1", "1.5", "-2.25", "99.995", "999.99", "1000.00", "16777217", "16777217.5",
      "3.4028236e38", "1e400", "1E5", "1e-5", "2.5e+3", "0.30000000000000004", "9007199254740993",
      "9007199254740993.0", "1.7976931348623157e308", "4.9e-324", "2.2250738585072012e-308",
      "123456.7891234567", "0.000001", "01", "-", "1.", ".5", "+1", "1e", "NaN", "Infinity", "0x1F",
      "00", "-01", "0.123456789012345678");

  private static final List<String> TEXTS = List.of("", "abc", "größe", "日本語", "😀", "NaN",
      "INF", "-Infinity", "true", "null", "12", "12.5", "1,234.5", "-0", "a\tb", "\\n", "\\\"",
      "\\u0041", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\ude00\\ud83d", "\\uD83Dx", "\\/", "\\x",
      "\\'", "\\u12", "\u0000", "\u007f", " padded ", "2024-02-29", "2023-02-29", "2024-1-2",
      "2024", "12024-01-01", "-0044-03-15", "2024-02-29T12:34:56", "2024-02-29 12:34:56.789",
      "2024-02-29T12:34:56.123456Z", "2024-02-29T12:34:56.1234567+05:30", "2024-03-10T02:30:00",
      "2024-10-27T02:30:00 Europe/Berlin", "12:34", "T12:34:56", "1970-01-01T00:00:00.000+0000",
      "1582-10-10", "0001-01-01", "9999-12-31 23:59:59.999999", "294247-01-10T04:00:54.775807Z",
      "epoch", "now", "today", "20240229", "2024-02-30 25:00:00", "YWJj", "YW Jj", "!",
      "2024-01-01Z", "2024-01-01 00:00:00GMT", "\uFEFFx", "\uFFFD");

  private static final List<String> WHITE = List.of(
      "", "", "", "", " ", "\n", "\t", "\r\n", "\f", "\u00a0", "/* c */", "# c\n", "\u0000");

  private final Random random;
  private final int oddity;

  /**
   * @param oddity one in how many things is not as it should be
   */
  RandomJson(Random random, int oddity) {
    this.random = random;
    this.oddity = oddity;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean odd() {
    return random.nextInt(oddity) == 0;
  }

  StructType schema(int depth) {
    StructType type = new StructType();
    for (int n = random.nextInt(6) + 1; n > 0; n--) {
      String name = one(NAMES);
      if (!List.of(type.fieldNames()).contains(name) || odd()) {
        type = type.add(name, type(depth), random.nextInt(4) > 0);
      }
    }
    return type;
  }

  private DataType type(int depth) {
    if (depth > 0 && random.nextInt(4) == 0) {
      return switch (random.nextInt(3)) {
        case 0 -> schema(depth - 1);
        case 1 -> DataTypes.createArrayType(type(depth - 1));
        default ->
          DataTypes.createMapType(
              odd() ? DataTypes.IntegerType : DataTypes.StringType, type(depth - 1));
      };
    }
    return odd() ? one(SCALARS) : one(SCALARS.subList(0, 11));
  }

  /** A text for a schema. */
  byte[] text(StructType schema) {
    if (odd() && odd()) {
      byte[] any = new byte[random.nextInt(40)];
      random.nextBytes(any);
      return any;
    }
    String text = white() + (odd() && odd() ? any(2) : value(schema)) + white();
    if (odd()) {
      text += one(List.of("}", " x", "{}", ",", "\u0000", text));
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return odd() && bytes.length > 0 ? damaged(bytes) : bytes;
  }

  private byte[] damaged(byte[] bytes) {
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(4)) {
      case 0 -> bytes[at] = (byte) random.nextInt(256);
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes = java.util.Arrays.copyOf(bytes, at);
      default -> bytes[at] = (byte) "\"\\{}[],:0-".charAt(random.nextInt(10));
    }
    return bytes;
  }

  private String white() {
    return odd() ? one(WHITE) : one(WHITE.subList(0, 8));
  }

  private String value(DataType type) {
    if (odd()) {
      return random.nextInt(3) == 0 ? any(2) : "null";
    }
    if (type instanceof StructType struct) {
      return object(struct);
    } else if (type instanceof ArrayType array) {
      StringBuilder out = new StringBuilder("[");
      for (int n = random.nextInt(4); n > 0; n--) {
        out.append(white()).append(value(array.elementType())).append(white());
        out.append(n > 1 ? "," : "");
      }
      return out.append(odd() ? ",]" : "]").toString();
    } else if (type instanceof MapType map) {
      StringBuilder out = new StringBuilder("{");
      for (int n = random.nextInt(3); n > 0; n--) {
        out.append(member(one(NAMES), map.valueType())).append(n > 1 ? "," : "");
      }
      return out.append(odd() ? ",}" : "}").toString();
    }
    return odd() ? scalar() : scalar(type);
  }

  private String object(StructType struct) {
    StringBuilder out = new StringBuilder("{").append(white());
    boolean first = true;
    for (StructField field : struct.fields()) {
      if (random.nextInt(8) == 0) {
        continue;
      }
      for (int times = odd() ? 2 : 1; times > 0; times--) {
        out.append(first ? "" : ",").append(member(field.name(), field.dataType()));
        first = false;
      }
      if (random.nextInt(3) == 0) {
        out.append(",").append(member(one(NAMES) + (odd() ? "" : "_"), null));
      }
    }
    return out.append(odd() ? ",}" : "}").toString();
  }

  private String member(String name, DataType type) {
    String quote = odd() ? one(List.of("'", "")) : "\"";
    String written = odd() ? name.replace("a", "\\u0061") : name;
    return white() + quote + written + quote + white() + ":" + white()
        + (type == null ? any(3) : value(type)) + white();
  }

  private String any(int depth) {
    return switch (depth == 0 ? 2 + random.nextInt(2) : random.nextInt(5)) {
      case 0 -> "{" + (random.nextBoolean() ? "" : member(one(NAMES), null)) + "}";
      case 1 -> "[" + any(depth - 1) + (random.nextBoolean() ? "" : "," + any(depth - 1)) + "]";
      case 2 -> scalar();
      case 3 -> "\"" + one(TEXTS.subList(0, 6)) + "\"";
      default -> String.valueOf(random.nextInt());
    };
  }

  private String scalar() {
    return switch (random.nextInt(5)) {
      case 0, 1 -> one(NUMBERS);
      case 2, 3 -> "\"" + one(TEXTS) + "\"";
      default -> one(List.of("true", "false", "null", "True", "nul", "undefined", ""));
    };
  }

  /** A time with numbers in and just out of their bounds. */
  private String time() {
    String date = String.format("%04d-%02d-%02d",
        random.nextInt(10) == 0 ? random.nextInt(10_000) : 2020 + random.nextInt(5),
        random.nextInt(14), random.nextInt(33));
    if (random.nextInt(4) == 0) {
      return date;
    }
    String time =
        String.format("%02d:%02d:%02d", random.nextInt(26), random.nextInt(62), random.nextInt(62));
    String digits = String.valueOf(random.nextInt(10_000_000));
    return date + one(List.of("T", " ", " ", "T", "_")) + time
        + (random.nextBoolean() ? ""
                                : "." + digits.substring(0, random.nextInt(digits.length() + 1)))
        + one(List.of("", "", "Z", "Z", "+01:00", " UTC", "z"));
  }

  private String scalar(DataType type) {
    String number = random.nextInt(3) == 0 ? one(NUMBERS) : "" + random.nextInt(200);
    if (type.equals(DataTypes.BooleanType)) {
      return String.valueOf(random.nextBoolean());
    } else if (type.equals(DataTypes.StringType)) {
      return random.nextInt(8) == 0 ? scalar() : "\"" + one(TEXTS) + "\"";
    } else if (type.equals(DataTypes.DateType) || type.equals(DataTypes.TimestampType)
        || type.equals(DataTypes.TimestampNTZType)) {
      return random.nextInt(8) == 0 ? number
          : random.nextBoolean()    ? "\"" + one(TEXTS) + "\""
                                    : "\"" + time() + "\"";
    } else if (type.equals(DataTypes.DoubleType) && random.nextBoolean()) {
      return String.valueOf(Double.longBitsToDouble(random.nextLong()));
    } else if (type.equals(DataTypes.FloatType) && random.nextBoolean()) {
      return String.valueOf(random.nextFloat());
    } else if (type.equals(DataTypes.LongType) && random.nextBoolean()) {
      return String.valueOf(random.nextLong() >> random.nextInt(64));
    }
    return random.nextInt(10) == 0 ? "\"" + number + "\"" : number;
  }
}
