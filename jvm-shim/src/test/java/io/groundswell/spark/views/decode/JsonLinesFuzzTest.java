package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Scala;
import io.groundswell.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Lines of files, whatever they hold: the rows of Spark's reader of files. */
class JsonLinesFuzzTest {
  /** One schema and one set of options; how many of the lines were read here. */
  static int compare(Random random, int oddity, int count) {
    RandomJson json = new RandomJson(random, oddity);
    StructType schema = json.schema(2);
    Map<String, String> named = oddity > 100 ? Map.of() : JsonDecoderFuzzTest.options(random);
    JSONOptions options;
    Coverage coverage;
    try {
      options = new JSONOptionsInRead(
          scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(named)),
          random.nextBoolean() ? "UTC" : "America/Los_Angeles", "_corrupt_record");
      coverage = Coverage.ofLines(schema, named.keySet(), options);
    } catch (RuntimeException e) { // no reader has these options
      return 0;
    }
    if (coverage.reason() != null) {
      return 0;
    }
    int read = 0;
    List<InternalRow> some = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      try {
        spark(json.text(schema), schema, options).forEachRemaining(some::add);
      } catch (Exception e) { // Scala declares none
        continue;
      }
    }
    PushedFilters filters = new RandomFilters(random, schema, some).some(Uses.WHOLE);
    for (int i = 0; i < count; i++) {
      byte[] line = json.text(schema);
      JsonLines ours = ours(line, schema, coverage, options, filters);
      Object expected = rows(spark(line, schema, options), schema, filters);
      Object found = rows(ours, schema, filters);
      assertEquals(expected, found,
          ()
              -> schema.simpleString() + " " + named + " " + filters + " of "
              + new String(line, StandardCharsets.UTF_8));
      read += ours.leftLines() == 0 ? 1 : 0;
    }
    return read;
  }

  private static JsonLines ours(byte[] line, StructType schema, Coverage coverage,
      JSONOptions options, PushedFilters filters) {
    return new JsonLines(new HadoopLines(Scala.seq(List.of(new Text(line))).iterator()), schema,
        coverage, options, filters);
  }

  private static Iterator<InternalRow> spark(byte[] line, StructType schema, JSONOptions options) {
    return CollectionConverters.asJava(Scala.seq(List.of(new Text(line)))
            .iterator()
            .flatMap(Scala.mapping(JsonLines.parser(schema, options)::parse)));
  }

  /** A filter drops a line before its end, unless the line may have the name again. */
  @Test
  void theRestOfALineIsLeftOutThatAFilterDrops() {
    StructType schema = StructType.fromDDL("price int, name string");
    PushedFilters filters =
        PushedFilters.of(List.of(new LessThan(new BoundReference(0, DataTypes.IntegerType, true),
            Literal.create(0, DataTypes.IntegerType))));
    Map<String, Object> lines = Map.of("{\"price\":5,\"name\":no JSON", Arrays.asList(null, null),
        "{\"price\":-5,\"name\":\"x\"}", List.of(-5, "x"),
        "{\"price\":5,\"name\":\"12:30\",\"prices\":-5}", Arrays.asList(null, null),
        "{\"price\":5,'price':-5}", Arrays.asList(-5, null), "{\"price\":5,\"price\":-5}",
        Arrays.asList(-5, null), "{\"price\":5 , \"price\" \t: -5}", Arrays.asList(-5, null),
        "{\"price\":5,\"pr\\u0069ce\":-5}", Arrays.asList(-5, null),
        "{\"price\":5,\"o\":{\"price\":-5},\"name\":\"x\"}", List.of(5, "x"));
    lines.forEach((line, row) -> {
      assertEquals(List.of(row), seen(line, schema, Map.of(), filters), line);
    });
    for (String mode : List.of("FAILFAST", "DROPMALFORMED")) {
      assertEquals(List.of(List.of(5, "x")),
          seen("{\"price\":5,\"name\":\"x\"}", schema, Map.of("mode", mode), filters));
    }
    for (String option : List.of("allowComments", "allowUnquotedFieldNames")) {
      assertEquals(List.of(List.of(5, "x")),
          seen("{\"price\":5,\"name\":\"x\"}", schema, Map.of(option, "true"), filters));
    }
  }

  private static Object seen(
      String line, StructType schema, Map<String, String> named, PushedFilters filters) {
    JSONOptions options = new JSONOptionsInRead(
        scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(named)), "UTC",
        "_corrupt_record");
    return rows(ours(line.getBytes(StandardCharsets.UTF_8), schema,
                    Coverage.ofLines(schema, named.keySet(), options), options, filters),
        schema, PushedFilters.NONE);
  }

  @Test
  void aRowStaysGoodWhileTheNextLineIsLookedAt() {
    StructType schema = StructType.fromDDL("a string, b struct<c: string>");
    JSONOptions options =
        new JSONOptionsInRead(scala.collection.immutable.Map$.MODULE$.empty(), "UTC", "corrupt");
    Text line = new Text(); // Hadoop's reader has one for all lines
    Iterator<String> texts = List.of("{\"a\":\"one\",\"b\":{\"c\":\"x\"}}", "",
                                     "{\"a\":\"two\",\"b\":{\"c\":\"yy\"}}", " ", "{'a':3}")
                                 .iterator();
    JsonLines lines = new JsonLines(new HadoopLines(new scala.collection.AbstractIterator<Text>() {
      @Override
      public boolean hasNext() {
        return texts.hasNext();
      }

      @Override
      public Text next() {
        line.set(texts.next());
        return line;
      }
    }),
        schema, Coverage.ofLines(schema, List.of(), options), options, PushedFilters.NONE);
    InternalRow first = lines.next();
    assertTrue(lines.hasNext());
    assertEquals(List.of("one", List.of("x")), JsonDecoderFuzzTest.seen(first, schema, Uses.WHOLE));
    InternalRow second = lines.next();
    assertTrue(lines.hasNext());
    assertEquals(
        List.of("two", List.of("yy")), JsonDecoderFuzzTest.seen(second, schema, Uses.WHOLE));
    assertEquals(3, lines.leftLines()); // two of them are blank
  }

  /** What rows say, and of others only that they were there. */
  private static Object rows(Iterator<InternalRow> rows, StructType schema, PushedFilters filters) {
    List<Object> all = new ArrayList<>();
    try {
      rows.forEachRemaining(row
          -> all.add(RandomFilters.takes(filters, row)
                  ? JsonDecoderFuzzTest.seen(row, schema, Uses.WHOLE)
                  : "not wanted"));
    } catch (Exception e) { // Scala declares none
      all.add(e.toString());
    }
    return all;
  }

  @Test
  void anyLineGivesTheRowsOfSpark() {
    Seeds.each(200, random -> compare(random, 5 + random.nextInt(60), 40));
  }

  @Test
  void cleanLinesAreReadHere() {
    int[] read = {0, 0};
    Seeds.each(60, random -> {
      read[0] += compare(random, 1_000_000, 40);
      read[1] += 40;
    });
    assertTrue(read[0] * 4 > read[1], () -> read[0] + " of " + read[1]);
  }
}
