package io.groundswell.spark.store.provider;

import io.groundswell.checkpoint.UploadOptions;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.StoreOptions;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.sst.Compression;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.network.util.JavaUtils;

/** Reads the values of every {@link Setting}; the one place that does. */
public final class SparkSettings {
  /** Before a pipeline's name: where sessions find it. SQL reads these. */
  private static final String PIPELINES = Setting.Scope.JVM.prefix() + "pipeline.";

  private static final long MAX_DEFAULT_CACHE = 512L << 20;
  private static final long DEFAULT_DISK_CACHE = 10L << 30;

  private SparkSettings() {}

  /**
   * What the stores of a JVM share.
   *
   * @param uploads of commits that wait; null if none may
   */
  public record
      Services(long cacheBytes, int compactionThreads, long memTableBytes, UploadOptions uploads) {}

  /** Reads the options of a store; what is misspelt or out of its limits is refused. */
  public static StoreOptions storeOptions(Map<String, String> confs) {
    refuseUnknown(confs, Setting.Scope.STORE);
    StoreOptions defaults = StoreOptions.defaults();
    return new StoreOptions(
        number(confs, Setting.BLOCK_BYTES, defaults.blockBytes(), 1 << 10, 16 << 20),
        number(confs, Setting.COMPACT_AT_FILES, defaults.compactAtFiles(), 2, 1000),
        number(confs, Setting.BITS_PER_KEY, defaults.bitsPerKey(), 0, 64))
        .withCompression(compression(confs, Setting.COMPRESSION, defaults.compression()),
            compression(confs, Setting.BOTTOM_COMPRESSION, defaults.bottomCompression()));
  }

  /** Whether each write of a batch is logged, for the change feed. */
  static boolean logsEveryWrite(Map<String, String> confs) {
    return flag(confs, Setting.LOG_EVERY_WRITE, false);
  }

  /** Reads the options of a JVM with so much heap. */
  public static Services services(Map<String, String> confs, long heapBytes) {
    refuseUnknown(confs, Setting.Scope.JVM);
    long cache =
        size(confs, Setting.CACHE_SIZE, Math.min(heapBytes / 4, MAX_DEFAULT_CACHE), 0, heapBytes);
    long memTables = size(confs, Setting.MEMTABLE_SIZE,
        EngineServices.defaultMemTableBytes(heapBytes), 1 << 20, heapBytes);
    long sealed = size(confs, Setting.SEALED_SIZE, UploadOptions.of(heapBytes).maxSealedBytes(),
        1 << 20, heapBytes / 2);
    return new Services(cache, number(confs, Setting.COMPACTION_THREADS, 1, 1, 64), memTables,
        flag(confs, Setting.ASYNC_CHECKPOINTS, true) ? UploadOptions.withSealed(sealed) : null);
  }

  /** The folder of the disk cache; null if there is to be none. */
  public static String diskCacheDir(Map<String, String> confs) {
    return confs.get(Setting.DISK_CACHE_DIR.key());
  }

  /** Bytes of the disk cache. */
  public static long diskCacheBytes(Map<String, String> confs) {
    return size(confs, Setting.DISK_CACHE_SIZE, DEFAULT_DISK_CACHE, 1 << 20, Long.MAX_VALUE);
  }

  private static long size(
      Map<String, String> confs, Setting setting, long ifAbsent, long least, long most) {
    String key = setting.key();
    String text = confs.get(key);
    if (text == null) {
      return ifAbsent;
    }
    long size;
    try {
      size = JavaUtils.byteStringAsBytes(text);
    } catch (NumberFormatException e) {
      throw invalid(key, text, "a size such as 512m is wanted");
    }
    if (size < least || size > most) {
      throw invalid(key, text, "it must lie between " + least + " and " + most + " bytes");
    }
    return size;
  }

  private static boolean flag(Map<String, String> confs, Setting setting, boolean ifAbsent) {
    String key = setting.key();
    String text = confs.get(key);
    if (text == null) {
      return ifAbsent;
    }
    if (!text.equals("true") && !text.equals("false")) {
      throw invalid(key, text, "true or false is wanted");
    }
    return Boolean.parseBoolean(text);
  }

  private static void refuseUnknown(Map<String, String> confs, Setting.Scope scope) {
    Set<String> known = new TreeSet<>();
    for (Setting setting : Setting.values()) {
      if (setting.scope() == scope) {
        known.add(setting.shortName());
      }
    }
    for (Map.Entry<String, String> conf : confs.entrySet()) {
      String key = conf.getKey();
      if (key.startsWith(scope.prefix()) && !known.contains(key.substring(scope.prefix().length()))
          && !key.startsWith(PIPELINES)) {
        throw invalid(key, conf.getValue(), "known options are " + known);
      }
    }
  }

  /** A whole number between two limits, both included. */
  private static int number(
      Map<String, String> confs, Setting setting, int ifAbsent, int least, int most) {
    String key = setting.key();
    String text = confs.get(key);
    if (text == null) {
      return ifAbsent;
    }
    int value;
    try {
      value = Integer.parseInt(text.trim());
    } catch (NumberFormatException e) {
      throw invalid(key, text, "a whole number is wanted");
    }
    if (value < least || value > most) {
      throw invalid(key, text, "it must lie between " + least + " and " + most);
    }
    return value;
  }

  private static Compression compression(
      Map<String, String> confs, Setting setting, Compression ifAbsent) {
    String key = setting.key();
    String text = confs.get(key);
    if (text == null) {
      return ifAbsent;
    }
    for (Compression compression : Compression.values()) {
      if (compression.name().equalsIgnoreCase(text.trim())) {
        return compression;
      }
    }
    throw invalid(key, text, "none, lz4, zstd_fast or zstd is wanted");
  }

  private static EngineException invalid(String key, String value, String why) {
    return new EngineException(ErrorCode.INVALID_ARGUMENT, key + " = " + value + ": " + why);
  }
}
