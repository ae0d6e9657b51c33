package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Whatever the schema, the options and the text: the same as Spark's from_json. */
class JsonDecoderFuzzTest {
  private static final String CORRUPT = "_corrupt_record";
  private static final List<String> FLAGS = List.of("allowComments", "allowUnquotedFieldNames",
      "allowSingleQuotes", "allowNumericLeadingZeros", "allowNonNumericNumbers",
      "allowBackslashEscapingAnyCharacter", "allowUnquotedControlChars", "primitivesAsString",
      "prefersDecimal", "dropFieldIfAllNull", "enableDateTimeParsingFallback", "multiLine",
      "ignoreSurroundingSpaces", "useUnsafeRow");
  private static final Map<String, List<String>> OTHERS =
      Map.of("mode", List.of("PERMISSIVE", "FAILFAST", "failfast", "DROPMALFORMED"), "timeZone",
          List.of("UTC", "Europe/Berlin", "+05:30", "America/New_York"), "dateFormat",
          List.of("dd/MM/yyyy", "yyyy-MM-dd"), "timestampFormat",
          List.of("yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy"), "locale", List.of("de-DE", "en-US"),
          "columnNameOfCorruptRecord", List.of(CORRUPT, "b", "name"), "encoding",
          List.of("UTF-8", "UTF-16"), "lineSep", List.of("\n"), "maxStringLen", List.of("5"),
          "maxNestingDepth", List.of("2"));

  static JsonToStructs call(StructType schema, Map<String, String> options, String zone) {
    return (JsonToStructs) new JsonToStructs(Literal.create(null, DataTypes.StringType),
        Literal.create(schema.json(), DataTypes.StringType),
        scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options)))
        .withTimeZone(zone);
  }

  static Map<String, String> options(Random random) {
    Map<String, String> options = new HashMap<>();
    if (random.nextBoolean()) {
      return options;
    }
    for (int n = random.nextInt(3); n > 0; n--) {
      options.put(FLAGS.get(random.nextInt(FLAGS.size())), String.valueOf(random.nextBoolean()));
    }
    if (random.nextInt(3) == 0) {
      List<String> keys = OTHERS.keySet().stream().sorted().toList();
      String key = keys.get(random.nextInt(keys.size()));
      List<String> values = OTHERS.get(key);
      options.put(key, values.get(random.nextInt(values.size())));
    }
    return options;
  }

  private static Uses uses(StructType type, Random random) {
    if (random.nextInt(3) == 0) {
      return Uses.WHOLE;
    }
    Map<Integer, Uses> fields = new TreeMap<>();
    for (int i = 0; i < type.length(); i++) {
      if (random.nextBoolean()) {
        fields.put(i,
            type.apply(i).dataType() instanceof StructType inner ? uses(inner, random)
                                                                 : Uses.WHOLE);
      }
    }
    return new Uses(false, fields);
  }

  /** What is read of a value, as Java's own types. */
  static Object seen(Object value, DataType type, Uses uses) {
    if (value instanceof InternalRow row) {
      StructType struct = (StructType) type;
      List<Object> fields = new ArrayList<>();
      for (int i = 0; i < struct.length(); i++) {
        DataType inner = struct.apply(i).dataType();
        fields.add(uses.of(i) == null ? "not read"
                : row.isNullAt(i)     ? null
                                      : seen(row.get(i, inner), inner, uses.of(i)));
      }
      return fields;
    } else if (value instanceof ArrayData array) {
      DataType element = ((ArrayType) type).elementType();
      List<Object> items = new ArrayList<>();
      for (int i = 0; i < array.numElements(); i++) {
        items.add(array.isNullAt(i) ? null : seen(array.get(i, element), element, Uses.WHOLE));
      }
      return items;
    } else if (value instanceof MapData map) {
      MapType of = (MapType) type;
      return List.of(seen(map.keyArray(), DataTypes.createArrayType(of.keyType()), Uses.WHOLE),
          seen(map.valueArray(), DataTypes.createArrayType(of.valueType()), Uses.WHOLE));
    } else if (value instanceof UTF8String string) {
      return new String(string.getBytes(), StandardCharsets.ISO_8859_1);
    }
    return value instanceof byte[] bytes ? List.of(bytes)
        : value instanceof Double number ? Double.doubleToRawLongBits(number)
                                         : value;
  }

  private static Object seen(
      java.util.function.Supplier<Object> decode, StructType type, Uses uses) {
    try {
      return seen(decode.get(), type, uses);
    } catch (Exception e) { // Scala declares none
      return e.toString();
    }
  }

  /** One schema and one set of options; how many of the texts were read here. */
  static int compare(Random random, int oddity, int texts) {
    RandomJson json = new RandomJson(random, oddity);
    StructType columns = json.schema(2);
    StructType schema =
        random.nextInt(4) == 0 ? columns.add(CORRUPT, DataTypes.StringType) : columns;
    String zone = random.nextBoolean() ? "UTC" : "America/Los_Angeles";
    Map<String, String> options = oddity > 100 ? Map.of() : options(random);
    JsonToStructs spark = call(schema, options, zone);
    StructType type = (StructType) spark.dataType();
    Uses uses = uses(type, random);
    JsonDecoder decoder;
    PushedFilters filters;
    try {
      filters = filters(random, json, schema, spark, uses);
      decoder = new FromJson(spark, uses, filters).open();
    } catch (RuntimeException e) { // no parser has these options
      return 0;
    }
    if (Coverage.of(spark, uses).reason() != null) {
      return 0;
    }
    for (int i = 0; i < texts; i++) {
      byte[] text = json.text(schema);
      UTF8String input = inside(text, random);
      Object expected = seen(() -> wanted(spark.nullSafeEval(input), filters), type, uses);
      Object found = seen(() -> wanted(decoder.decode(input), filters), type, uses);
      assertEquals(expected, found,
          ()
              -> schema.simpleString() + " " + options + " " + zone + " " + filters + " of "
              + new String(text, StandardCharsets.UTF_8));
    }
    return texts - (int) decoder.left();
  }

  private static PushedFilters filters(
      Random random, RandomJson json, StructType schema, JsonToStructs spark, Uses uses) {
    List<InternalRow> some = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      try {
        some.add((InternalRow) spark.nullSafeEval(UTF8String.fromBytes(json.text(schema))));
      } catch (Exception e) { // Scala declares none
        continue;
      }
    }
    some.removeIf(Objects::isNull);
    return new RandomFilters(random, (StructType) spark.dataType(), some).some(uses);
  }

  /** A struct, or only that it is not wanted. */
  private static Object wanted(Object struct, PushedFilters filters) {
    return struct == null || RandomFilters.takes(filters, (InternalRow) struct) ? struct
                                                                                : "not wanted";
  }

  /** Texts lie anywhere in a row's bytes. */
  private static UTF8String inside(byte[] text, Random random) {
    byte[] around = new byte[text.length + 16];
    random.nextBytes(around);
    int at = random.nextInt(16);
    System.arraycopy(text, 0, around, at, text.length);
    return UTF8String.fromBytes(around, at, text.length);
  }

  @Test
  void anyTextGivesWhatSparkGives() {
    Seeds.each(400, random -> compare(random, 5 + random.nextInt(60), 40));
  }

  /** Text that is no base64 spoils the fields behind it, too. */
  @Test
  void aBinaryFieldIsLeftToSparkThoughNobodyReadsIt() {
    StructType schema = StructType.fromDDL("a string, b struct<c: binary>, d double");
    Uses uses = new Uses(false, Map.of(0, Uses.WHOLE, 2, Uses.WHOLE));
    assertEquals("type binary", Coverage.of(call(schema, Map.of(), "UTC"), uses).reason());
    Seeds.run(3616189684237304514L, random -> compare(random, 5 + random.nextInt(60), 40));
  }

  @Test
  void cleanTextsAreReadHere() {
    int[] read = {0, 0};
    Seeds.each(100, random -> {
      read[0] += compare(random, 1_000_000, 40);
      read[1] += 40;
    });
    assertTrue(read[0] * 4 > read[1], () -> read[0] + " of " + read[1]);
  }

  /** As long as {@code -Dgroundswell.soak.minutes} says. */
  @Test
  @Tag("soak")
  void anyTextGivesWhatSparkGivesForLong() {
    long until = System.nanoTime()
        + Duration.ofMinutes(Integer.getInteger("groundswell.soak.minutes", 10)).toNanos();
    Random seeds = new Random();
    while (System.nanoTime() < until) {
      Seeds.run(seeds.nextLong(), random -> compare(random, 3 + random.nextInt(100), 200));
    }
  }
}
