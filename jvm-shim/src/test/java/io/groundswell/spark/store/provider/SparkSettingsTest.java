package io.groundswell.spark.store.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.checkpoint.UploadOptions;
import io.groundswell.engine.StoreOptions;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.sst.Compression;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SparkSettingsTest {
  private static final String STORE = Setting.Scope.STORE.prefix();
  private static final String JVM = Setting.Scope.JVM.prefix();

  @Test
  void optionsAreReadAndOtherConfsPassedOver() {
    StoreOptions options = SparkSettings.storeOptions(Map.of(STORE + "blockBytes", " 4096 ",
        STORE + "compactAtFiles", "3", "spark.sql.streaming.stateStore.minDeltasForSnapshot", "7"));
    assertEquals(4096, options.blockBytes());
    assertEquals(3, options.compactAtFiles());
    assertEquals(StoreOptions.defaults().bitsPerKey(), options.bitsPerKey());
    assertEquals(StoreOptions.defaults(), SparkSettings.storeOptions(Map.of()));
    StoreOptions packed = SparkSettings.storeOptions(
        Map.of(STORE + "compression", "lz4", STORE + "bottomCompression", "ZSTD"));
    assertEquals(Compression.LZ4, packed.compression());
    assertEquals(Compression.ZSTD, packed.bottomCompression());
  }

  @Test
  void whatIsMisspeltOrOutOfItsLimitsIsRefusedByName() {
    for (Map.Entry<String, String> bad :
        Map.of("blockByte", "4096", "blockBytes", "4k", "compactAtFiles", "1", "compression",
               "gzip")
            .entrySet()) {
      EngineException error = assertThrows(EngineException.class,
          () -> SparkSettings.storeOptions(Map.of(STORE + bad.getKey(), bad.getValue())));
      assertEquals(ErrorCode.INVALID_ARGUMENT, error.code());
      assertTrue(error.getMessage().contains(STORE + bad.getKey() + " = " + bad.getValue()));
    }
  }

  @Test
  void theCacheIsSizedLikeSparksOwnSizes() {
    long heap = 1L << 30;
    UploadOptions uploads = UploadOptions.withSealed(heap / 8);
    assertEquals(new SparkSettings.Services(64L << 20, 2, 96L << 20, uploads),
        SparkSettings.services(Map.of(JVM + "cacheSize", "64m", JVM + "compactionThreads", "2",
                                   JVM + "memtableSize", "96m"),
            heap));
    assertEquals(new SparkSettings.Services(256L << 20, 1, 128L << 20, uploads),
        SparkSettings.services(Map.of(), heap));
    assertEquals(
        new SparkSettings.Services(256L << 20, 1, 128L << 20, UploadOptions.withSealed(9 << 20)),
        SparkSettings.services(Map.of(JVM + "sealedSize", "9m"), heap));
    assertEquals(new SparkSettings.Services(256L << 20, 1, 128L << 20, null),
        SparkSettings.services(Map.of(JVM + "asyncCheckpoints", "false"), heap));
    assertThrows(EngineException.class,
        () -> SparkSettings.services(Map.of(JVM + "asyncCheckpoints", "no"), heap));
    for (String bad : new String[] {"much", "2g"}) {
      assertThrows(EngineException.class,
          () -> SparkSettings.services(Map.of(JVM + "cacheSize", bad), heap));
    }
  }

  @Test
  void theDiskCacheIsOffUnlessAFolderIsNamed() {
    assertNull(SparkSettings.diskCacheDir(Map.of()));
    assertEquals(10L << 30, SparkSettings.diskCacheBytes(Map.of()));
    Map<String, String> confs = Map.of(JVM + "diskCacheDir", "/fast", JVM + "diskCacheSize", "2g");
    assertEquals("/fast", SparkSettings.diskCacheDir(confs));
    assertEquals(2L << 30, SparkSettings.diskCacheBytes(confs));
    SparkSettings.services(confs, 1L << 30); // they are known there
    assertThrows(EngineException.class,
        () -> SparkSettings.diskCacheBytes(Map.of(JVM + "diskCacheSize", "1k")));
  }

  @Test
  void wherePipelinesAreIsNoSettingOfTheJvm() {
    SparkSettings.services(Map.of(JVM + "pipeline.shop", "/data/shop"), 1L << 30);
    assertThrows(EngineException.class,
        () -> SparkSettings.services(Map.of(JVM + "pipelines", "/data/shop"), 1L << 30));
  }
}
