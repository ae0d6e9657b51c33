package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Scala;
import io.groundswell.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
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
    for (int i = 0; i < count; i++) {
      byte[] line = json.text(schema);
      List<Text> one = List.of(new Text(line));
      JsonLines ours =
          new JsonLines(new HadoopLines(Scala.seq(one).iterator()), schema, coverage, options);
      Object expected = rows(CollectionConverters.asJava(Scala.seq(one).iterator().flatMap(
                                 Scala.mapping(JsonLines.parser(schema, options)::parse))),
          schema);
      Object found = rows(ours, schema);
      assertEquals(expected, found,
          ()
              -> schema.simpleString() + " " + named + " of "
              + new String(line, StandardCharsets.UTF_8));
      read += ours.leftLines() == 0 ? 1 : 0;
    }
    return read;
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
        schema, Coverage.ofLines(schema, List.of(), options), options);
    InternalRow first = lines.next();
    assertTrue(lines.hasNext());
    assertEquals(List.of("one", List.of("x")), JsonDecoderFuzzTest.seen(first, schema, Uses.WHOLE));
    InternalRow second = lines.next();
    assertTrue(lines.hasNext());
    assertEquals(
        List.of("two", List.of("yy")), JsonDecoderFuzzTest.seen(second, schema, Uses.WHOLE));
    assertEquals(3, lines.leftLines()); // two of them are blank
  }

  private static Object rows(Iterator<?> rows, StructType schema) {
    List<Object> all = new ArrayList<>();
    try {
      rows.forEachRemaining(row -> all.add(JsonDecoderFuzzTest.seen(row, schema, Uses.WHOLE)));
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
