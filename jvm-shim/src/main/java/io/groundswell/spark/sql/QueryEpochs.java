package io.groundswell.spark.sql;

import java.util.HashMap;
import java.util.Map;

/**
 * Which epoch the query at work reads of each pipeline: the newest when its first view was found,
 * for all that follow.
 *
 * <p>Spark analyses a query on the thread that parsed it, so a query begins where its text is
 * parsed. A text that the analyser itself has parsed is that of a view in the query, and belongs to
 * it.
 */
final class QueryEpochs {
  private static final String ANALYZER = "org.apache.spark.sql.catalyst.analysis.";
  private static final ThreadLocal<Map<String, Long>> EPOCHS =
      ThreadLocal.withInitial(HashMap::new);

  private QueryEpochs() {}

  /** A text, or a name, is parsed: that of a new query, unless the analyser asks for it. */
  static void begin() {
    Map<String, Long> epochs = EPOCHS.get();
    if (!epochs.isEmpty() && !analysing()) {
      epochs.clear();
    }
  }

  static Long of(String pipeline) {
    return EPOCHS.get().get(pipeline);
  }

  static void note(String pipeline, long epoch) {
    EPOCHS.get().putIfAbsent(pipeline, epoch);
  }

  private static boolean analysing() {
    return StackWalker.getInstance().walk(
        frames -> frames.anyMatch(frame -> frame.getClassName().startsWith(ANALYZER)));
  }
}
