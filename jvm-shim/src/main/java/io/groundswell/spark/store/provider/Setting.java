package io.groundswell.spark.store.provider;

import io.groundswell.engine.StoreOptions;

/**
 * Every option that users may set in Spark's confs: its name, type, default, limits and meaning.
 * {@link SparkSettings} reads the values; the reference page of settings is printed from here.
 *
 * <p>Options of a store are SQL confs and hold for queries that start later. Options of a JVM are
 * Spark confs, which {@code GroundswellPlugin} reads when an executor starts.
 */
public enum Setting {
  BLOCK_BYTES(Scope.STORE, "blockBytes", "number", StoreOptions.defaults().blockBytes(), "bytes",
      "1 KiB to 16 MiB",
      "Size of a data block. Small blocks make cold point reads cheap. Large blocks compress "
          + "better and scan faster."),
  COMPACT_AT_FILES(Scope.STORE, "compactAtFiles", "number",
      StoreOptions.defaults().compactAtFiles(), "sub-levels", "2 to 1000",
      "Number of sub-levels at which background compaction starts. 1000 means never."),
  BITS_PER_KEY(Scope.STORE, "bitsPerKey", "number", StoreOptions.defaults().bitsPerKey(), "bits",
      "0 to 64",
      "Filter bits a key. With 10 bits a filter lets about 1 % of absent keys through. 0 switches "
          + "filters off."),
  COMPRESSION(Scope.STORE, "compression", "name",
      StoreOptions.defaults().compression().name().toLowerCase(java.util.Locale.ROOT), "",
      "none, lz4, zstd_fast, zstd",
      "Compression of data blocks that will be compacted again: commits and young files."),
  BOTTOM_COMPRESSION(Scope.STORE, "bottomCompression", "name",
      StoreOptions.defaults().bottomCompression().name().toLowerCase(java.util.Locale.ROOT), "",
      "none, lz4, zstd_fast, zstd",
      "Compression of data blocks with nothing below them: most of a large state, written seldom."),
  LOG_EVERY_WRITE(Scope.STORE, "logEveryWrite", "flag", false, "", "true, false",
      "Whether each write of a batch is logged, for Spark's change feed (`readChangeFeed`). With "
          + "false, the feed has each changed key once a batch. A store with a log writes about "
          + "half as many bytes again."),
  CACHE_SIZE(Scope.JVM, "cacheSize", "size", "a quarter of the heap, at most 512m", "bytes",
      "0 to the heap", "Size of the block cache that all stores of a JVM share."),
  MEMTABLE_SIZE(Scope.JVM, "memtableSize", "size", "an eighth of the heap", "bytes",
      "1m to the heap",
      "Memory for the open batches of a JVM. A batch that needs more spills to files, so a batch "
          + "may be larger than the heap. Operators of views may hold as much again, and half as "
          + "much "
          + "rows between them; beyond it they take several passes, and rows go to "
          + "spark.local.dir."),
  COMPACTION_THREADS(Scope.JVM, "compactionThreads", "number", 1, "threads", "1 to 64",
      "Threads that compact files, for all stores of a JVM."),
  ASYNC_CHECKPOINTS(Scope.JVM, "asyncCheckpoints", "flag", true, "", "true, false",
      "Whether a commit may become durable after its task, where that is safe. With false, each "
          + "partition writes one object a commit."),
  SEALED_SIZE(Scope.JVM, "sealedSize", "size", "an eighth of the heap", "bytes",
      "1m to half of the heap",
      "Memory for commits that wait for their upload. As much again may stay cached after the "
          + "upload."),
  DISK_CACHE_DIR(Scope.JVM, "diskCacheDir", "path", "none", "", "",
      "Folder on a local disk that caches what was read of a remote file system. The cache "
          + "outlives a restart."),
  DISK_CACHE_SIZE(Scope.JVM, "diskCacheSize", "size", "10g", "bytes", "at least 1m",
      "Bytes of that folder that an executor may use."),
  LOCAL_EXCHANGE(Scope.JVM, "localExchange", "flag", true, "", "true, false",
      "Whether rows of views go from operator to operator in memory, where all tasks share one "
          + "process. A session may set it, too."),
  FAST_JSON(Scope.JVM, "fastJson", "flag", true, "", "true, false",
      "Whether views decode clean JSON themselves where a query says from_json, with the results "
          + "of Spark's parser, which reads all other texts. A session may set it, too."),
  FAST_CSV(Scope.JVM, "fastCsv", "flag", true, "", "true, false",
      "Whether views decode clean lines of CSV files themselves, with the results of Spark's "
          + "parser, which reads all other lines. A session may set it, too."),
  PACKS(Scope.JVM, "packs", "name", "by the storage", "", "task, process",
      "Whose commits share objects in a barrier of views: those of a task, or those of an "
          + "executor, "
          + "which writes them when all tasks have ended. By default tasks where there are several "
          + "executors and requests to the storage are cheap. A session may set it, too."),
  USE_VIEWS(Scope.JVM, "useViews", "flag", false, "", "true, false",
      "Whether Spark's optimizer answers batch queries over tables and views of pipelines from "
          + "views that have what they ask for. Read at each query; a session may set it, too."),
  USE_VIEWS_ROUNDING(Scope.JVM, "useViews.rounding", "flag", false, "", "true, false",
      "Whether that goes for sums and averages of doubles, too, and averages of whole numbers, "
          + "whose last digits may differ from those that Spark computes. A session may set it, "
          + "too."),
  CHECKPOINT_FILE_MANAGER(Scope.JVM, "checkpointFileManager", "class", "our own", "", "",
      "The checkpoint file manager that ours delegates to."),
  ARCHIVE(Scope.JVM, "archive", "name", "use", "", "use, auto, off",
      "Whether a JVM that gs.configure starts begins with what others learned: if there is a file "
          + "of that (use); auto also has one made, beside the program, where there is none.");

  /** Who reads an option: each store, or the plugin once a JVM. */
  public enum Scope {
    STORE("spark.sql.streaming.stateStore.groundswell."),
    JVM("spark.groundswell.");

    private final String prefix;

    Scope(String prefix) {
      this.prefix = prefix;
    }

    /** All names of this scope start so. */
    public String prefix() {
      return prefix;
    }
  }

  private final Scope scope;
  private final String shortName;
  private final String type;
  private final String byDefault;
  private final String unit;
  private final String limits;
  private final String meaning;

  Setting(Scope scope, String shortName, String type, Object byDefault, String unit, String limits,
      String meaning) {
    this.scope = scope;
    this.shortName = shortName;
    this.type = type;
    this.byDefault = String.valueOf(byDefault);
    this.unit = unit;
    this.limits = limits;
    this.meaning = meaning;
  }

  public Scope scope() {
    return scope;
  }

  /** The name without its scope's prefix. */
  public String shortName() {
    return shortName;
  }

  /** The name that a user types. */
  public String key() {
    return scope.prefix() + shortName;
  }

  /** Prints one line a setting: key, type, default, unit, limits and meaning, parted by tabs. */
  public static void main(String[] arguments) {
    for (Setting setting : values()) {
      System.out.println(String.join("\t", setting.key(), setting.type, setting.byDefault,
          setting.unit, setting.limits, setting.meaning));
    }
  }
}
