package io.groundswell.spark.views.dataflow.run;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.groundswell.error.ErrorCode;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.filter.AbstractFilter;

/**
 * Leaves out of the log what Spark says of a row that fails: the executor, the scheduler and the
 * query each repeat the error, with pages of stacks in which the row is hard to find. The driver
 * logs it once. Of other failures, and of other queries, nothing is left out.
 */
public final class RepeatedFailures extends AbstractFilter {
  private static final String ROW = "[" + ErrorCode.ROW_FAILED + "] ";
  private static final String THROWN = OperatorException.class.getName() + ": " + ROW;
  private static final Set<String> LOGGERS =
      Set.of("Executor", "TaskSetManager", "MicroBatchExecution", "DAGScheduler");
  private static final Pattern STAGE = Pattern.compile(" in stage (\\d+\\.\\d+)");
  private static final Pattern IDLE =
      Pattern.compile("Failed to cancel job group ([-0-9a-f]{36})\\. Cannot find active jobs.*");
  private static final int CAUSES = 20;

  /** The configuration that has the filter: a program may load another one. */
  private static final AtomicReference<Configuration> INSTALLED = new AtomicReference<>();

  /** Stages that a failing row has ended. */
  private static final Cache<String, Boolean> STAGES =
      CacheBuilder.newBuilder().maximumSize(1000).build();

  /** Runs of pipelines; stopping one between barriers finds no job of it, which is no news. */
  private static final Cache<String, Boolean> RUNS =
      CacheBuilder.newBuilder().maximumSize(1000).build();

  private RepeatedFailures() {}

  /** Begins, in this process; does nothing where something else than Log4j does the logging. */
  public static void leaveOut() {
    if (!(LogManager.getContext(false) instanceof LoggerContext context)) {
      return;
    }
    Configuration now = context.getConfiguration();
    if (INSTALLED.getAndSet(now) != now) {
      RepeatedFailures filter = new RepeatedFailures();
      filter.start();
      now.getLoggers().values().forEach((LoggerConfig each) -> each.addFilter(filter));
      context.updateLoggers();
    }
  }

  /** Notes the run of a pipeline's query. */
  public static void ofRun(String run) {
    if (run != null) {
      RUNS.put(run, true);
    }
  }

  @Override
  public Result filter(LogEvent event) {
    String logger = event.getLoggerName();
    String spark = logger.startsWith("org.apache.spark.") ? logger : "";
    return LOGGERS.contains(spark.substring(spark.lastIndexOf('.') + 1)) && isRepeated(event)
        ? Result.DENY
        : Result.NEUTRAL;
  }

  private static boolean isRepeated(LogEvent event) {
    String text = String.valueOf(event.getMessage().getFormattedMessage());
    Matcher idle = IDLE.matcher(text);
    if (idle.matches()) {
      return RUNS.getIfPresent(idle.group(1)) != null;
    }
    Matcher stage = STAGE.matcher(text);
    boolean inStage = stage.find();
    if (inStage && text.endsWith("aborting job")) {
      return STAGES.getIfPresent(stage.group(1)) != null;
    }
    boolean ofRow = text.contains(THROWN) || isOfRow(event.getThrown());
    if (ofRow && inStage) {
      STAGES.put(stage.group(1), true);
    }
    return ofRow;
  }

  private static boolean isOfRow(Throwable thrown) {
    Throwable each = thrown;
    for (int i = 0; i < CAUSES && each != null; i++) {
      if (String.valueOf(each.getMessage()).contains(ROW)) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }
}
