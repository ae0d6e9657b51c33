package io.groundswell.spark.views.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.dataflow.run.Segment;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Where a plan decodes JSON itself, and what it reads of it. */
class DecodingTest {
  private static final String SCHEMA =
      "'a int, b string, c struct<x: int, y: array<int>>, d array<struct<z: string>>'";
  private static final List<String> TEXTS = List.of(
      "{\"a\": 1, \"b\": \"bé\", \"c\": {\"x\": 2, \"y\": [1, null]}, \"d\": [{\"z\": \"q\"}]}",
      "{\"a\": \"1\", \"b\": 7}", "{\"b\": \"no end", "{\"a\": 3, \"a\": 4}", "", "null", "[]",
      "{\"b\": \"\\u00e9\\n\", \"d\": [null, {}]}", "{}");
  private static SparkSession session;

  @BeforeAll
  static void start() {
    session = (SparkSession) org.apache.spark.sql.SparkSession.builder()
                  .master("local[1]")
                  .config("spark.ui.enabled", "false")
                  .config("spark.driver.host", "127.0.0.1")
                  .config("spark.sql.shuffle.partitions", "1")
                  .getOrCreate();
    session.createDataset(TEXTS, org.apache.spark.sql.Encoders.STRING())
        .repartition(1)
        .createOrReplaceTempView("messages");
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  private static Dataset<Row> query(String select) {
    return session.sql("SELECT " + select + " FROM (SELECT value, from_json(value, " + SCHEMA
        + ") v FROM messages)");
  }

  private static LogicalPlan optimized(Dataset<Row> query) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) query).queryExecution().optimizedPlan();
  }

  private static LogicalPlan decoded(Dataset<Row> query) {
    return Decoding.apply(optimized(query));
  }

  private static List<String> rows(Dataset<Row> frame) {
    return frame.collectAsList().stream().map(Row::toString).toList();
  }

  @Test
  void whateverIsReadIsWhatSparkReads() {
    for (String select : List.of("v.a, v.b", "v.c.x, v.d", "v", "v, v.a", "v.c IS NULL, v.b",
             "v IS NOT NULL, v.d[0].z", "v.a + length(v.b)", "struct(v.a, v.c) s")) {
      Dataset<Row> query = query(select);
      LogicalPlan plan = decoded(query);
      assertTrue(plan.toString().contains("decoded_from_json"), plan::toString);
      assertEquals(rows(query), rows(Catalyst.ofRows(session, plan)), select);
    }
  }

  @Test
  void aChainOfAViewDecodes() {
    LogicalPlan chain = optimized(query("v.a, v.c.x"));
    Segment segment = Catalyst.withActive(session, () -> Segment.plan(session, chain));
    assertTrue(segment.toString().contains("decoded_from_json"), segment::toString);
  }

  @Test
  void whatIsNotReadIsNotDecoded() {
    Uses uses = (Uses) call(decoded(query("v.c.x, v.b"))).productElement(1);
    assertEquals(Set.of(1, 2), uses.fields().keySet());
    assertEquals(Set.of(0), uses.of(2).fields().keySet());
  }

  private static FromJson call(LogicalPlan plan) {
    return Stream.concat(Stream.of(plan), Scala.list(plan.children()).stream())
        .flatMap(node -> Scala.list(node.expressions()).stream())
        .flatMap(each -> Scala.list(each.children()).stream())
        .filter(FromJson.class ::isInstance)
        .map(FromJson.class ::cast)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void explainSaysWhoReadsTexts() {
    Dataset<Row> plain = query("v.a, v.b");
    Dataset<Row> dates = session.sql("SELECT v.a, v.b FROM (SELECT from_json(value, 'a int, b "
        + "date', map('dateFormat', 'd/M/y')) v FROM messages)");
    Dataset<Row> binary = session.sql(
        "SELECT v.a, v.b FROM (SELECT from_json(value, 'a int, b binary') v FROM messages)");
    assertEquals(List.of("from_json(value): decoded into rows; Spark's parser reads unusual texts"),
        notes(plain));
    assertEquals(List.of("from_json(value): Spark's parser reads all texts (option dateFormat)"),
        notes(dates));
    assertEquals(
        List.of("from_json(value): Spark's parser reads all texts (type binary)"), notes(binary));
    assertFalse(decoded(dates).toString().contains("decoded_"));
  }

  @Test
  void theSettingTurnsItOff() {
    session.conf().set("spark.groundswell.fastJson", "false");
    try {
      assertFalse(decoded(query("v.a, v.b")).toString().contains("decoded_"));
    } finally {
      session.conf().unset("spark.groundswell.fastJson");
    }
  }

  private static List<String> notes(Dataset<Row> query) {
    return Decoding.notes(optimized(query))
        .stream()
        .map(note -> note.replaceAll("\\w+\\.value|`?value`?", "value"))
        .toList();
  }
}
