package io.groundswell.spark.views.capture.stream;

import io.groundswell.spark.shims.Scala;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2;
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * How much of a stream one micro-batch takes. Spark asks each source for its own limit, which the
 * source has from the options of its reader. So a limit of ours becomes such an option, and one
 * that the user gave stays.
 */
public final class StreamLimits {
  /** Which readers take a limit, and what their users limit them with. */
  public enum Kind {
    /** Spark's files, by bytes; a file is never split. */
    FILES("maxFilesPerTrigger", "maxBytesPerTrigger", "latestFirst"),
    /** Spark's Kafka source, by messages. */
    KAFKA("maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay"),
    /** Groundswell's own readers, by rows and bytes. */
    OURS(),
    /** Others are read as their own options say. */
    OTHER();

    private final Set<String> limits;

    Kind(String... limits) {
      this.limits = Set.of(limits);
    }
  }

  /** The option that names a stream of ours, which Python reads. */
  public static final String READER = "groundswell.reader";

  /** The options that limit one. */
  public static final String ROWS = "groundswell.maxRows";

  public static final String BYTES = "groundswell.maxBytes";

  private StreamLimits() {}

  /** The leaves of a plan that a limit of ours would act on. */
  public static List<LogicalPlan> leaves(LogicalPlan plan) {
    return Scala.list(plan.collectLeaves())
        .stream()
        .filter(leaf -> kind(leaf) != Kind.OTHER && !isLimited(leaf))
        .collect(Collectors.toList());
  }

  public static Kind kind(LogicalPlan leaf) {
    if (leaf instanceof StreamingRelation relation) {
      return relation.sourceName().startsWith("FileSource[") ? Kind.FILES : Kind.OTHER;
    }
    if (!(leaf instanceof StreamingRelationV2 relation)) {
      return Kind.OTHER;
    }
    return relation.extraOptions().containsKey(READER)    ? Kind.OURS
        : relation.sourceName().equalsIgnoreCase("kafka") ? Kind.KAFKA
                                                          : Kind.OTHER;
  }

  /** Whether the user has limited a stream. */
  private static boolean isLimited(LogicalPlan leaf) {
    CaseInsensitiveStringMap options = options(leaf);
    return kind(leaf).limits.stream().anyMatch(options::containsKey);
  }

  public static CaseInsensitiveStringMap options(LogicalPlan leaf) {
    return new CaseInsensitiveStringMap(StreamingLeaves.options(leaf));
  }

  /**
   * The same plan, of whose streams a micro-batch takes about so much in all.
   *
   * @param rows of all its streams; 0: any number
   * @param bytes of all its streams; 0: any number
   */
  public static LogicalPlan within(LogicalPlan plan, long rows, long bytes) {
    int count = leaves(plan).size();
    if (count == 0 || (rows <= 0 && bytes <= 0)) {
      return plan;
    }
    Map<Kind, Map<String, String>> options =
        Map.of(Kind.FILES, some("maxBytesPerTrigger", bytes, count), Kind.KAFKA,
            some("maxOffsetsPerTrigger", rows, count), Kind.OURS, both(rows, bytes, count));
    return plan.transformDown(Scala.rule(node -> {
      Kind kind = kind(node);
      return kind == Kind.OTHER || isLimited(node)
          ? node
          : StreamingLeaves.withOptions(node, options.get(kind));
    }));
  }

  private static Map<String, String> both(long rows, long bytes, int count) {
    return rows <= 0 ? some(BYTES, bytes, count)
        : bytes <= 0 ? some(ROWS, rows, count)
                     : Map.of(ROWS, share(rows, count), BYTES, share(bytes, count));
  }

  private static Map<String, String> some(String key, long most, int count) {
    return most <= 0 ? Map.of() : Map.of(key, share(most, count));
  }

  private static String share(long most, int count) {
    return Long.toString(Math.max(1, most / count));
  }
}
