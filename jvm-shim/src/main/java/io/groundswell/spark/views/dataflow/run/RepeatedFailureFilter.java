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

/** The filter behind {@link RepeatedFailures}; needs the classes of Log4j. */
final class RepeatedFailureFilter extends AbstractFilter {
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

  private RepeatedFailureFilter() {}

  /** Adds the filter to all loggers of this process, once a configuration. */
  static void install() {
    if (!(LogManager.getContext(false) instanceof LoggerContext context)) {
      return;
    }
    Configuration now = context.getConfiguration();
    if (INSTALLED.getAndSet(now) != now) {
      RepeatedFailureFilter filter = new RepeatedFailureFilter();
      filter.start();
      now.getLoggers().values().forEach((LoggerConfig each) -> each.addFilter(filter));
      context.updateLoggers();
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
      return RepeatedFailures.isRun(idle.group(1));
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
