package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVHeaderChecker;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityParser;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Lines of CSV, whatever they hold and whatever the options: the rows of Spark's reader. */
class CsvLinesFuzzTest {
  private static final int CLEAN = 1_000_000;

  private static CSVOptions options(Map<String, String> named, String zone) {
    return new CSVOptions(
        scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(named)), true,
        zone, "_corrupt_record");
  }

  /** One schema and one set of options; how many of the lines were read here. */
  private static int compare(Random random, int oddity) {
    RandomCsv csv = new RandomCsv(random, oddity);
    StructType columns = csv.schema();
    StructType read = csv.some(columns);
    Map<String, String> named = oddity == CLEAN ? Map.of() : csv.options();
    String zone = random.nextBoolean() ? "UTC" : "America/Los_Angeles";
    CSVOptions options;
    try {
      options = options(named, zone);
      options.asParserSettings();
    } catch (RuntimeException e) { // no reader has these options
      return 0;
    }
    if (CsvCoverage.reason(columns, read, named.keySet(), options) != null
        || read.exists(Scala.function(field -> !field.nullable()))) {
      return 0;
    }
    List<byte[]> lines = csv.lines(columns, options.delimiter(), options.quote());
    boolean first = random.nextInt(4) > 0;
    Object expected = spark(lines, columns, read, options, first);
    CsvLines ours =
        new CsvLines(new HadoopLines(Scala.seq(lines.stream().map(Text::new).toList()).iterator()),
            columns, read, options, true);
    Object found = rows(() -> {
      ours.header(checker(columns, read, options, first));
      return ours;
    }, read);
    assertEquals(expected, found,
        ()
            -> columns.simpleString() + " " + read.simpleString() + " " + named + " of "
            + lines.stream().map(line -> new String(line, StandardCharsets.UTF_8)).toList());
    return lines.size() - (int) ours.leftLines();
  }

  private static CSVHeaderChecker checker(
      StructType columns, StructType read, CSVOptions options, boolean first) {
    return new CSVHeaderChecker(
        options.isColumnPruningEnabled(read) ? read : columns, options, "file", first);
  }

  private static Object spark(
      List<byte[]> lines, StructType columns, StructType read, CSVOptions options, boolean first) {
    List<String> texts =
        lines.stream().map(line -> new String(line, StandardCharsets.UTF_8)).toList();
    return rows(()
                    -> CollectionConverters.asJava(
                        UnivocityParser.parseIterator(Scala.seq(texts).iterator(),
                            new UnivocityParser(columns, read, options, Catalyst.nil()),
                            checker(columns, read, options, first), read)),
        read);
  }

  private static Object rows(
      java.util.function.Supplier<Iterator<InternalRow>> source, StructType schema) {
    List<Object> all = new ArrayList<>();
    try {
      source.get().forEachRemaining(
          row -> all.add(JsonDecoderFuzzTest.seen(row, schema, Uses.WHOLE)));
    } catch (Exception e) { // Scala declares none
      all.add(e.toString());
    }
    return all;
  }

  @Test
  void anyLinesGiveTheRowsOfSpark() {
    Seeds.each(2000, random -> compare(random, 3 + random.nextInt(60)));
  }

  @Test
  void anErrorCountsLinesAsSparkDoes() {
    Seeds.run(678340136684740377L, random -> compare(random, 3 + random.nextInt(60)));
    Map<String, String> named = Map.of("unescapedQuoteHandling", "RAISE_ERROR");
    StructType columns = StructType.fromDDL("a string");
    assertEquals("option unescapedQuoteHandling",
        CsvCoverage.reason(columns, columns, named.keySet(), options(named, "UTC")));
  }

  @Test
  void cleanLinesAreReadHere() {
    int[] read = {0, 0};
    Seeds.each(300, random -> {
      read[0] += compare(random, CLEAN);
      read[1] += 6;
    });
    assertTrue(read[0] * 2 > read[1], () -> read[0] + " of " + read[1]);
  }

  /** As long as {@code -Dgroundswell.soak.minutes} says. */
  @Test
  @Tag("soak")
  void anyLinesGiveTheRowsOfSparkForLong() {
    long until = System.nanoTime()
        + Duration.ofMinutes(Integer.getInteger("groundswell.soak.minutes", 10)).toNanos();
    Random seeds = new Random();
    while (System.nanoTime() < until) {
      Seeds.run(seeds.nextLong(), random -> compare(random, 3 + random.nextInt(100)));
    }
  }
}
