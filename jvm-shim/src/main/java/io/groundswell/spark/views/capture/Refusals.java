package io.groundswell.spark.views.capture;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.shims.Scala;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.AesEncrypt;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * What must be seen in the analysed plan, because the optimiser takes it away: the time of the
 * query becomes a constant, watermarks of anything but a source vanish. Also what gives another
 * value whenever it is computed: a view could not retract it.
 */
public final class Refusals {
  private static final Set<String> CLOCKS =
      Set.of("CurrentBatchTimestamp", "CurrentDate", "CurrentTime", "CurrentTimestamp",
          "CurrentTimestampNanos", "LocalTimestamp", "LocalTimestampNanos", "Now");

  /** Functions that thin out what they hold by chance. */
  private static final Set<String> SAMPLING =
      Set.of("KllSketchMergeBigint", "KllSketchMergeDouble", "KllSketchMergeFloat");

  /** Texts that Catalyst casts to the time of the capture. */
  private static final Pattern SPECIAL =
      Pattern.compile("\\s*(now|today|tomorrow|yesterday)\\b.*", Pattern.CASE_INSENSITIVE);

  /** Times of day, which Catalyst casts to timestamps of the day of the capture. */
  private static final Pattern OF_TODAY = Pattern.compile("\\s*(T\\d|\\d{1,2}:).*");

  private static final String WHY_CLOCK =
      "its value changes while no row does, so the view would not stay equal to its query";

  private final Map<String, String> found = new LinkedHashMap<>();

  private Refusals() {}

  /** What to refuse in each of several queries. */
  public static ArrayNode of(List<LogicalPlan> analyzed) {
    ArrayNode result = Json.array();
    for (int query = 0; query < analyzed.size(); query++) {
      Refusals refusals = new Refusals();
      refusals.visit(analyzed.get(query));
      for (Map.Entry<String, String> found : refusals.found.entrySet()) {
        result.addObject()
            .put("query", query)
            .put("what", found.getKey())
            .put("why", found.getValue());
      }
    }
    return result;
  }

  private void visit(LogicalPlan plan) {
    if (plan instanceof EventTimeWatermark watermark) {
      found.put("withWatermark(" + watermark.eventTime().name() + ")",
          "a watermark belongs to a source: call it on the stream, on a timestamp column, with "
              + "only "
              + "filters and projections below");
    }
    Scala.list(plan.expressions()).forEach(this::visit);
    Scala.list(plan.children()).forEach(this::visit);
    Scala.list(plan.subqueries()).forEach(this::visit);
  }

  private void visit(Expression expression) {
    if (CLOCKS.contains(expression.getClass().getSimpleName())) {
      found.put(expression.prettyName() + "()", WHY_CLOCK);
      return;
    }
    Expression meant =
        expression instanceof RuntimeReplaceable named ? named.replacement() : expression;
    if (meant instanceof Cast cast && isClock(cast)) {
      found.put(expression.sql(), WHY_CLOCK);
      return;
    }
    Scala.list(expression.children()).forEach(this::visit);
    // what a Python function gave once is remembered
    boolean other = drawsUnsaid(expression)
        || !expression.deterministic() && !(expression instanceof PythonUDF)
            && Scala.list(expression.children()).stream().allMatch(Expression::deterministic);
    if (other) {
      found.put(expression.sql(), whyOther(expression.prettyName()));
    }
  }

  /** Whether it draws by chance, though Catalyst takes it to be deterministic. */
  private static boolean drawsUnsaid(Expression expression) {
    return expression instanceof AesEncrypt aes
        ? isText(aes.iv(), "") && !isText(aes.mode(), "ECB")
        : SAMPLING.contains(expression.getClass().getSimpleName());
  }

  private static boolean isText(Expression argument, String text) {
    return argument instanceof Cast cast ? isText(cast.child(), text)
                                         : argument instanceof Literal constant
            && (constant.value() instanceof byte[] bytes
                    ? bytes.length == 0 && text.isEmpty()
                    : text.equalsIgnoreCase(String.valueOf(constant.value())));
  }

  /** As {@code date < 'today'}, whose constant is cast. */
  private static boolean isClock(Cast cast) {
    DataType type = cast.dataType();
    boolean isTime = type instanceof DateType || type instanceof TimestampType
        || type instanceof TimestampNTZType;
    return isTime && cast.child() instanceof Literal text && text.dataType() instanceof StringType
        && (SPECIAL.matcher(String.valueOf(text.value())).matches()
            || type instanceof TimestampType
                && OF_TODAY.matcher(String.valueOf(text.value())).matches());
  }

  private static String whyOther(String function) {
    if (function.equals("aes_encrypt")) {
      return "without an initialization vector each call makes one up, so a change could not be "
          + "taken back; give one, or encrypt where the rows are written";
    } else if (function.startsWith("input_file_")) {
      return "it is known only where a file is being read; select _metadata.file_path, "
          + "_metadata.file_block_start or _metadata.file_block_length of the stream instead";
    }
    return "it gives another value whenever it is computed, so a change could not be taken back; "
        + "compute it where the rows are written, or in a Python function marked with "
        + "asNondeterministic(), whose results are remembered";
  }
}
