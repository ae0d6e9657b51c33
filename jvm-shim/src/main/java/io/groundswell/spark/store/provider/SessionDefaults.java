package io.groundswell.spark.store.provider;

import io.groundswell.EpochStateStoreProvider;
import io.groundswell.GroundswellCheckpointFileManager;
import io.groundswell.spark.store.checkpoint.FastCheckpointFileManager;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;

/**
 * What the plugin sets for sessions that are made after it, where the user has set nothing: so that
 * {@code spark.plugins} is the only conf that is needed.
 *
 * <p>Sessions read these from the conf of the context when they are made, and Spark starts
 * plugins while it makes the context.
 */
final class SessionDefaults {
  static final String PROVIDER_KEY = "spark.sql.streaming.stateStore.providerClass";
  static final String EXTENSIONS_KEY = "spark.sql.extensions";

  /** Its class is Scala's; Spark makes it by name. */
  static final String EXTENSIONS = "io.groundswell.GroundswellExtensions";

  /**
   * Spark lists the log of each file source in every micro-batch, and lets no entry go before it is
   * ten minutes old, for stores that show new files late: 12,000 files at 20 micro-batches a
   * second. Those that a restart needs stay however old they are ({@code minBatchesToRetain}).
   */
  static final String SOURCE_LOG_KEY = "spark.sql.streaming.fileSource.log.cleanupDelay";
  static final String SOURCE_LOG = "10s";

  /**
   * A JVM keeps the classes that Spark generated last, 100 of them. The first barrier of twenty
   * views needs 250, so some were compiled twice in it, and most again when the pipeline was
   * started again.
   */
  static final String CODE_KEY = "spark.sql.codegen.cache.maxEntries";
  static final String CODE = "2000";

  private SessionDefaults() {}

  /** A list is extended; another provider or file manager is left alone. */
  static void install(SparkConf conf) {
    conf.setIfMissing(PROVIDER_KEY, EpochStateStoreProvider.class.getName());
    conf.setIfMissing(
        FastCheckpointFileManager.CLASS_KEY, GroundswellCheckpointFileManager.class.getName());
    conf.setIfMissing(SOURCE_LOG_KEY, SOURCE_LOG);
    conf.setIfMissing(CODE_KEY, CODE);
    conf.set(EXTENSIONS_KEY, extended(conf.get(EXTENSIONS_KEY, "")));
  }

  private static String extended(String extensions) {
    List<String> names = new ArrayList<>();
    for (String name : extensions.split(",")) {
      if (!name.isBlank()) {
        names.add(name.strip());
      }
    }
    if (!names.contains(EXTENSIONS)) {
      names.add(EXTENSIONS);
    }
    return String.join(",", names);
  }
}
