package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVHeaderChecker;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.csv.UnivocityParser;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataTypes;
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
    List<InternalRow> some = new ArrayList<>();
    try {
      parsed(lines, columns, read, options, first).forEachRemaining(row -> some.add(row.copy()));
    } catch (Exception e) { // Scala declares none
      some.clear();
    }
    PushedFilters filters = new RandomFilters(random, read, some).some(Uses.WHOLE);
    Object expected = rows(() -> parsed(lines, columns, read, options, first), read, filters);
    CsvLines ours =
        new CsvLines(new HadoopLines(Scala.seq(lines.stream().map(Text::new).toList()).iterator()),
            columns, read, options, filters);
    Object found = rows(() -> {
      ours.header(checker(columns, read, options, first));
      return ours;
    }, read, filters);
    assertEquals(expected, found,
        ()
            -> columns.simpleString() + " " + read.simpleString() + " " + named + " " + filters
            + " of "
            + lines.stream().map(line -> new String(line, StandardCharsets.UTF_8)).toList());
    return lines.size() - (int) ours.leftLines();
  }

  private static CSVHeaderChecker checker(
      StructType columns, StructType read, CSVOptions options, boolean first) {
    return new CSVHeaderChecker(
        options.isColumnPruningEnabled(read) ? read : columns, options, "file", first);
  }

  private static Iterator<InternalRow> parsed(
      List<byte[]> lines, StructType columns, StructType read, CSVOptions options, boolean first) {
    List<String> texts =
        lines.stream().map(line -> new String(line, StandardCharsets.UTF_8)).toList();
    return CollectionConverters.asJava(UnivocityParser.parseIterator(Scala.seq(texts).iterator(),
        new UnivocityParser(columns, read, options, Catalyst.nil()),
        checker(columns, read, options, first), read));
  }

  /** What rows say, and of others only that they were there. */
  private static Object rows(java.util.function.Supplier<Iterator<InternalRow>> source,
      StructType schema, PushedFilters filters) {
    List<Object> all = new ArrayList<>();
    try {
      source.get().forEachRemaining(row
          -> all.add(RandomFilters.takes(filters, row)
                  ? JsonDecoderFuzzTest.seen(row, schema, Uses.WHOLE)
                  : "not wanted"));
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

  /** A filter drops a line before its end, whatever follows. */
  @Test
  void theRestOfALineIsLeftOutThatAFilterDrops() {
    StructType columns = StructType.fromDDL("price int, at timestamp");
    PushedFilters filters =
        PushedFilters.of(List.of(new LessThan(new BoundReference(0, DataTypes.IntegerType, true),
            Literal.create(0, DataTypes.IntegerType))));
    List<byte[]> lines = List.of("5,no time", "-5,2024-01-01 00:00:00", "5,\"open", "x,y")
                             .stream()
                             .map(line -> line.getBytes(StandardCharsets.UTF_8))
                             .toList();
    CsvLines ours =
        new CsvLines(new HadoopLines(Scala.seq(lines.stream().map(Text::new).toList()).iterator()),
            columns, columns, options(Map.of(), "UTC"), filters);
    List<Object> none = Arrays.asList(null, null);
    assertEquals(List.of(none, List.of(-5, 1_704_067_200_000_000L), none, none),
        rows(() -> ours, columns, PushedFilters.NONE));
    assertEquals(1, ours.leftLines());
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
