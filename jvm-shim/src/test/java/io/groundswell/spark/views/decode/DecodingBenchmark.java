package io.groundswell.spark.views.decode;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection$;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * JSON messages into rows of one thread, beside Spark's from_json, by processor time: a main
 * program. Both are generated projections into an UnsafeRow, in turns, and the best turn counts.
 */
final class DecodingBenchmark {
  private static final int MESSAGES = 20_000;
  private static final long SECOND = 1_000_000_000L;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final StructType BID = new StructType()
                                            .add("auction", DataTypes.LongType)
                                            .add("bidder", DataTypes.LongType)
                                            .add("price", DataTypes.LongType)
                                            .add("channel", DataTypes.StringType)
                                            .add("url", DataTypes.StringType)
                                            .add("dateTime", DataTypes.TimestampType)
                                            .add("extra", DataTypes.StringType);

  private DecodingBenchmark() {}

  public static void main(String[] args) {
    int turns = args.length > 0 ? Integer.parseInt(args[0]) : 8;
    System.out.println(MESSAGES + " bids of about " + bids().get(0).numBytes()
        + " bytes, thousand rows a second of processor time, best of " + turns + " turns");
    System.out.printf("%-28s %10s %10s %8s%n", "", "Spark", "ours", "CPU");
    compare("auction and price of 7", List.of("auction", "price"), bids(), turns);
    compare("dateTime of 7", List.of("dateTime"), bids(), turns);
    compare("all 7", List.of(BID.fieldNames()), bids(), turns);
    compare("all 7, a tenth unusual", List.of(BID.fieldNames()), withUnusual(bids()), turns);
  }

  private static List<UTF8String> bids() {
    Random random = new Random(7);
    List<UTF8String> texts = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      StringBuilder extra = new StringBuilder();
      for (int n = 60 + random.nextInt(20); n > 0; n--) {
        extra.append((char) ('a' + random.nextInt(26)));
      }
      texts.add(text("{\"auction\":" + random.nextInt(100_000)
          + ",\"bidder\":" + random.nextInt(50_000) + ",\"price\":" + random.nextInt(10_000_000)
          + ",\"channel\":\"channel-" + random.nextInt(1000)
          + "\",\"url\":\"https://www.nexmark.com/item.htm?query=1&channel_id="
          + random.nextInt(10_000) + "\",\"dateTime\":\"2024-01-01 00:" + (10 + random.nextInt(50))
          + ":" + (10 + random.nextInt(50)) + "." + (100 + random.nextInt(900))
          + "\",\"extra\":\"" + extra + "\"}"));
    }
    return texts;
  }

  private static List<UTF8String> withUnusual(List<UTF8String> texts) {
    List<UTF8String> some = new ArrayList<>(texts);
    for (int i = 0; i < some.size(); i += 10) {
      some.set(i, text(some.get(i).toString().replace("\"price\":", "\"price\":1e")));
    }
    return some;
  }

  private static UTF8String text(String text) {
    return UTF8String.fromBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void compare(
      String name, List<String> columns, List<UTF8String> texts, int turns) {
    StructType schema = new StructType();
    for (String column : columns) {
      schema = schema.add(BID.apply(column));
    }
    JsonToStructs call = (JsonToStructs) JsonDecoderFuzzTest.call(schema, Map.of(), "UTC")
                             .withNewChildren(CollectionConverters
                                     .<Expression>asScala(List.<Expression>of(
                                         new BoundReference(0, DataTypes.StringType, true)))
                                     .toList());
    UnsafeProjection spark = projection(call, columns.size());
    UnsafeProjection ours = projection(
        new FromJson(call, Uses.NONE.and(fields(columns)), PushedFilters.NONE), columns.size());
    double best = 0;
    double own = 0;
    long check = 0;
    for (int turn = 0; turn < turns; turn++) {
      long[] sums = new long[2];
      best = Math.max(best, rate(spark, texts, sums, 0));
      own = Math.max(own, rate(ours, texts, sums, 1));
      check |= sums[0] ^ sums[1];
    }
    if (check != 0) {
      throw new IllegalStateException("other rows than Spark's: " + name);
    }
    System.out.printf("%-28s %10.0f %10.0f %7.2f x%n", name, best / 1000, own / 1000, best / own);
  }

  private static Uses fields(List<String> columns) {
    Uses all = Uses.NONE;
    for (int i = 0; i < columns.size(); i++) {
      all = all.and(new Uses(false, Map.of(i, Uses.WHOLE)));
    }
    return all;
  }

  private static UnsafeProjection projection(Expression struct, int columns) {
    List<Expression> fields = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      fields.add(new GetStructField(struct, i, Option.empty()));
    }
    return UnsafeProjection$.MODULE$.create(CollectionConverters.asScala(fields).toList());
  }

  /** Messages a second; the hashes of all rows are summed. */
  private static double rate(
      UnsafeProjection projection, List<UTF8String> texts, long[] sums, int sum) {
    GenericInternalRow row = new GenericInternalRow(1);
    long rows = 0;
    long start = THREADS.getCurrentThreadCpuTime();
    long spent;
    do {
      long hashes = 0;
      for (UTF8String text : texts) {
        row.update(0, text);
        hashes += projection.apply(row).hashCode();
      }
      sums[sum] = hashes;
      rows += texts.size();
      spent = THREADS.getCurrentThreadCpuTime() - start;
    } while (spent < SECOND / 2);
    return rows * (double) SECOND / spent;
  }
}
