package io.groundswell.spark.views.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.checkpoint.Ownership;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.ObjectStores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.metrics.source.HiveCatalogMetrics;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/** When a stream looks into a table's folder. */
class TableSourceProviderTest {
  private static SparkSession session;
  @TempDir Path folder;

  @BeforeAll
  static void start() {
    session = (SparkSession) org.apache.spark.sql.SparkSession.builder()
                  .master("local[1]")
                  .config("spark.ui.enabled", "false")
                  .config("spark.driver.host", "127.0.0.1")
                  .config("spark.sql.streaming.fileSource.cleaner.numThreads", "0")
                  .getOrCreate();
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  @AfterEach
  void open() {
    FastPath.open();
    TableSourceProvider.unregister("p");
  }

  /** A table whose name has letters of patterns, with one file. */
  private SupportsAdmissionControl table() throws Exception {
    Configuration conf = new Configuration();
    Ownership ownership = Ownership.claim(ObjectStores.open(folder + "/owners", conf), "run", 0, 1);
    TableSourceProvider.register("p", folder.toString(), ownership, conf);
    insert();
    String pattern = (folder + "/a{b}/rows").replaceAll("[{}]", "\\\\$0");
    Map<String, String> options = Map$.MODULE$.from(CollectionConverters.asScala(
        java.util.Map.of("path", pattern, "groundswell.pipeline", "p", "cleanSource", "delete")));
    return (SupportsAdmissionControl) new TableSourceProvider().createSource(session.sqlContext(),
        folder + "/log", Option.apply(new StructType().add("id", "bigint")), "table", options);
  }

  private void insert() {
    session.range(1).coalesce(1).write().mode("append").parquet(folder + "/a{b}/rows");
  }

  private static long looked() {
    return HiveCatalogMetrics.METRIC_FILES_DISCOVERED().getCount();
  }

  @Test
  void aFolderWithoutNewFilesIsNotLookedIntoAgain() throws Exception {
    SupportsAdmissionControl table = table();
    ReadLimit all = ReadLimit.allAvailable();
    Offset first = table.latestOffset(null, all);
    assertEquals(first, table.latestOffset(first, all));
    long before = looked();
    for (int i = 0; i < 5; i++) {
      assertEquals(first, table.latestOffset(first, all));
    }
    assertEquals(before, looked(), "nothing came");
    FastPath.refuse(1, 1.0);
    assertEquals(first, table.latestOffset(first, all));
    assertTrue(looked() > before, "the shorter way was refused");
    FastPath.open();
    insert();
    Offset second = table.latestOffset(first, all);
    assertTrue(!second.equals(first), "a file came");
    assertEquals(second, table.latestOffset(second, all));
    before = looked();
    assertEquals(second, table.latestOffset(second, all));
    assertEquals(before, looked());
  }

  @Test
  void whatIsReadIsRemovedOnce() throws Exception {
    SupportsAdmissionControl table = table();
    Offset first = table.latestOffset(null, ReadLimit.allAvailable());
    Path file;
    try (Stream<Path> files = Files.list(folder.resolve("a{b}/rows"))) {
      file = files.filter(each -> each.toString().endsWith(".parquet")).findFirst().get();
    }
    ((Source) table).commit((org.apache.spark.sql.execution.streaming.Offset) first);
    assertFalse(Files.exists(file));
    Files.createFile(file);
    ((Source) table).commit((org.apache.spark.sql.execution.streaming.Offset) first);
    assertTrue(Files.exists(file));
  }
}
