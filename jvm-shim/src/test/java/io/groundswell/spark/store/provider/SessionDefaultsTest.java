package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.internal.SQLConf;
import org.junit.jupiter.api.Test;

class SessionDefaultsTest {
  private static final List<String> OURS = List.of("spark.sql.streaming.stateStore.providerClass",
      "spark.sql.extensions", "spark.sql.streaming.checkpointFileManagerClass",
      "spark.sql.streaming.fileSource.log.cleanupDelay", "spark.sql.codegen.cache.maxEntries");

  @Test
  void whatNobodySetIsSet() {
    SparkConf conf = new SparkConf(false);
    SessionDefaults.install(conf);
    assertEquals(
        List.of("io.groundswell.EpochStateStoreProvider", "io.groundswell.GroundswellExtensions",
            "io.groundswell.GroundswellCheckpointFileManager", "10s", "2000"),
        OURS.stream().map(conf::get).toList());
  }

  @Test
  void whatTheUserSetIsLeftAlone() {
    SparkConf conf = new SparkConf(false);
    OURS.forEach(key -> conf.set(key, "mine"));
    SessionDefaults.install(conf);
    assertEquals(
        List.of("mine", "mine,io.groundswell.GroundswellExtensions", "mine", "mine", "mine"),
        OURS.stream().map(conf::get).toList());
  }

  @Test
  void sparkReadsTheDelayInMilliseconds() {
    SQLConf conf = new SQLConf();
    conf.setConfString(SessionDefaults.SOURCE_LOG_KEY, SessionDefaults.SOURCE_LOG);
    assertEquals(10_000, conf.fileSourceLogCleanupDelay());
  }

  @Test
  void sparkKnowsTheSizeOfItsCacheOfClasses() {
    SQLConf conf = new SQLConf();
    conf.setConfString(SessionDefaults.CODE_KEY, SessionDefaults.CODE);
    assertEquals(2000, conf.codegenCacheMaxEntries());
  }
}
