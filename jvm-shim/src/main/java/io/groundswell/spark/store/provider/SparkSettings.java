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

/**
 * Every option that users may set, with its default; the one place that reads them.
 *
 * <p>Options of a store are SQL confs, {@code spark.sql.streaming.stateStore.groundswell.<name>}
 * (Spark hands a provider only what starts with {@code spark.sql.streaming.stateStore.}); they hold
 * for queries that start later. Options of a JVM are Spark confs, {@code spark.groundswell.<name>},
 * read by {@code GroundswellPlugin} when an executor starts.
 */
public final class SparkSettings {
  /** All names of store options start so. */
  public static final String PREFIX = "spark.sql.streaming.stateStore.groundswell.";

  /** Bytes of a data block; default 4 KiB. */
  public static final String BLOCK_BYTES = "blockBytes";

  /** Sub-levels at which the background merge of a store starts; default 8. */
  public static final String COMPACT_AT_FILES = "compactAtFiles";

  /** Filter bits a key; more bits mean fewer files read in vain; default 10. */
  public static final String BITS_PER_KEY = "bitsPerKey";

  /** Packing of data blocks that will be merged again: none, lz4, zstd; default none. */
  public static final String COMPRESSION = "compression";

  /** Packing of data blocks with nothing below them: none, lz4, zstd; default none. */
  public static final String BOTTOM_COMPRESSION = "bottomCompression";

  /** All names of JVM options start so. */
  public static final String JVM_PREFIX = "spark.groundswell.";

  /** Size of the block cache of a JVM, as 512m; default a quarter of the heap, 512m at most. */
  public static final String CACHE_SIZE = "cacheSize";

  /** Threads that merge files, for all stores of a JVM; default 1. */
  public static final String COMPACTION_THREADS = "compactionThreads";

  /** What mem-tables of a JVM hold before they spill, as 256m; default an eighth of the heap. */
  public static final String MEMTABLE_SIZE = "memtableSize";

  /** Whether commits may be made durable after their task, where that is safe; default true. */
  public static final String ASYNC_CHECKPOINTS = "asyncCheckpoints";

  /** Bytes of commits that may wait in memory, as 128m; default an eighth of the heap. */
  public static final String SEALED_SIZE = "sealedSize";

  /** Folder on a local disk in which ranges of remote objects are kept; default none. */
  public static final String DISK_CACHE_DIR = "diskCacheDir";

  /** Bytes of that folder that an executor may use, as 20g; default 10g. */
  public static final String DISK_CACHE_SIZE = "diskCacheSize";

  /** The file manager of checkpoints that ours delegates to; default our own. */
  public static final String CHECKPOINT_FILE_MANAGER = "checkpointFileManager";

  private static final Set<String> STORE_OPTIONS =
      Set.of(BLOCK_BYTES, COMPACT_AT_FILES, BITS_PER_KEY, COMPRESSION, BOTTOM_COMPRESSION);
  private static final Set<String> JVM_OPTIONS =
      Set.of(CACHE_SIZE, COMPACTION_THREADS, MEMTABLE_SIZE, ASYNC_CHECKPOINTS, SEALED_SIZE,
          DISK_CACHE_DIR, DISK_CACHE_SIZE, CHECKPOINT_FILE_MANAGER);

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
    refuseUnknown(confs, PREFIX, STORE_OPTIONS);
    StoreOptions defaults = StoreOptions.defaults();
    return new StoreOptions(
        number(confs, PREFIX + BLOCK_BYTES, defaults.blockBytes(), 1 << 10, 16 << 20),
        number(confs, PREFIX + COMPACT_AT_FILES, defaults.compactAtFiles(), 2, 1000),
        number(confs, PREFIX + BITS_PER_KEY, defaults.bitsPerKey(), 0, 64))
        .withCompression(compression(confs, PREFIX + COMPRESSION, defaults.compression()),
            compression(confs, PREFIX + BOTTOM_COMPRESSION, defaults.bottomCompression()));
  }

  /** Reads the options of a JVM with so much heap. */
  public static Services services(Map<String, String> confs, long heapBytes) {
    refuseUnknown(confs, JVM_PREFIX, JVM_OPTIONS);
    long cache = size(confs, CACHE_SIZE, Math.min(heapBytes / 4, MAX_DEFAULT_CACHE), 0, heapBytes);
    long memTables = size(
        confs, MEMTABLE_SIZE, EngineServices.defaultMemTableBytes(heapBytes), 1 << 20, heapBytes);
    long sealed = size(
        confs, SEALED_SIZE, UploadOptions.of(heapBytes).maxSealedBytes(), 1 << 20, heapBytes / 2);
    return new Services(cache, number(confs, JVM_PREFIX + COMPACTION_THREADS, 1, 1, 64), memTables,
        flag(confs, JVM_PREFIX + ASYNC_CHECKPOINTS, true) ? UploadOptions.withSealed(sealed)
                                                          : null);
  }

  /** The folder of the disk cache; null if there is to be none. */
  public static String diskCacheDir(Map<String, String> confs) {
    return confs.get(JVM_PREFIX + DISK_CACHE_DIR);
  }

  /** Bytes of the disk cache. */
  public static long diskCacheBytes(Map<String, String> confs) {
    return size(confs, DISK_CACHE_SIZE, DEFAULT_DISK_CACHE, 1 << 20, Long.MAX_VALUE);
  }

  private static long size(
      Map<String, String> confs, String name, long ifAbsent, long least, long most) {
    String key = JVM_PREFIX + name;
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

  private static boolean flag(Map<String, String> confs, String key, boolean ifAbsent) {
    String text = confs.get(key);
    if (text == null) {
      return ifAbsent;
    }
    if (!text.equals("true") && !text.equals("false")) {
      throw invalid(key, text, "true or false is wanted");
    }
    return Boolean.parseBoolean(text);
  }

  private static void refuseUnknown(Map<String, String> confs, String prefix, Set<String> known) {
    for (Map.Entry<String, String> conf : confs.entrySet()) {
      String key = conf.getKey();
      if (key.startsWith(prefix) && !known.contains(key.substring(prefix.length()))) {
        throw invalid(key, conf.getValue(), "known options are " + new TreeSet<>(known));
      }
    }
  }

  /** A whole number between two limits, both included. */
  private static int number(
      Map<String, String> confs, String key, int ifAbsent, int least, int most) {
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
      Map<String, String> confs, String key, Compression ifAbsent) {
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
