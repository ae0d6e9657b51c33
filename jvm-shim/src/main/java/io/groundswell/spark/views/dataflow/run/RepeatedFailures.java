package io.groundswell.spark.views.dataflow.run;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;

/**
 * Leaves out of the log what Spark says of a row that fails: the executor, the scheduler and the
 * query each repeat the error, with pages of stacks in which the row is hard to find. The driver
 * logs it once. Of other failures, and of other queries, nothing is left out.
 */
public final class RepeatedFailures {
  /** Runs of pipelines; stopping one between barriers finds no job of it, which is no news. */
  private static final Cache<String, Boolean> RUNS =
      CacheBuilder.newBuilder().maximumSize(1000).build();

  private RepeatedFailures() {}

  /** Begins, in this process; does nothing where something else than Log4j does the logging. */
  public static void leaveOut() {
    try {
      RepeatedFailureFilter.install();
    } catch (LinkageError noLog4j) {
      // Its classes are not there, so another library logs.
    }
  }

  /** Notes the run of a pipeline's query; null: it is not known. */
  public static void ofRun(String run) {
    if (run != null) {
      RUNS.put(run, true);
    }
  }

  static boolean isRun(String run) {
    return RUNS.getIfPresent(run) != null;
  }
}
