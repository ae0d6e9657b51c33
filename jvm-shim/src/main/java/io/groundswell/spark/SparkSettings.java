package io.groundswell.spark;

import io.groundswell.engine.StoreOptions;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

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

  /** Bytes of a data block before compression. */
  public static final String BLOCK_BYTES = "blockBytes";

  /** Sub-levels at which the background merge of a store starts. */
  public static final String COMPACT_AT_FILES = "compactAtFiles";

  /** Filter bits a key; more bits mean fewer files read in vain. */
  public static final String BITS_PER_KEY = "bitsPerKey";

  /** Bytes of the block cache that all stores of a JVM share. */
  public static final String CACHE_BYTES = "spark.groundswell.cacheBytes";

  /** Threads that merge files, for all stores of a JVM. */
  public static final String COMPACTION_THREADS = "spark.groundswell.compactionThreads";

  private static final Set<String> STORE_OPTIONS =
      Set.of(BLOCK_BYTES, COMPACT_AT_FILES, BITS_PER_KEY);

  private SparkSettings() {}

  /** Reads the options of a store; what is misspelt or out of its limits is refused. */
  public static StoreOptions storeOptions(Map<String, String> confs) {
    for (String key : confs.keySet()) {
      if (key.startsWith(PREFIX) && !STORE_OPTIONS.contains(key.substring(PREFIX.length()))) {
        throw invalid(key, confs.get(key), "known options are " + new TreeSet<>(STORE_OPTIONS));
      }
    }
    StoreOptions defaults = StoreOptions.defaults();
    return new StoreOptions(
        number(confs, PREFIX + BLOCK_BYTES, defaults.blockBytes(), 1 << 10, 16 << 20),
        number(confs, PREFIX + COMPACT_AT_FILES, defaults.compactAtFiles(), 2, 1000),
        number(confs, PREFIX + BITS_PER_KEY, defaults.bitsPerKey(), 0, 64));
  }

  /** A whole number between two limits, both included. */
  static int number(Map<String, String> confs, String key, int ifAbsent, int least, int most) {
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

  private static EngineException invalid(String key, String value, String why) {
    return new EngineException(ErrorCode.INVALID_ARGUMENT, key + " = " + value + ": " + why);
  }
}
