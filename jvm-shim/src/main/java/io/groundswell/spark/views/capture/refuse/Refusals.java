package io.groundswell.spark.views.capture.refuse;

import io.groundswell.spark.shims.Inlined;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.capture.Refusal;
import io.groundswell.spark.views.facts.Facts;
import io.groundswell.spark.views.facts.FactsTable;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.AesEncrypt;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What must be seen in the analysed plan, because the optimiser takes it away: the time of the
 * query becomes a constant, watermarks of anything but a source vanish. Also what gives another
 * value whenever it is computed: a view could not retract it. What an expression may do stands in
 * {@link FactsTable}; an expression that has no facts is refused.
 */
public final class Refusals {
  /** Classes that people vouch for, or {@code package.*}: separated by commas. */
  static final String KNOWN = "spark.groundswell.knownExpressions";

  private static final String WHY_CLOCK =
      "its value changes while no row does, so the view would not stay equal to its query; compare "
      + "a timestamp column with it in WHERE (column > now() - INTERVAL 1 HOUR, alone or with "
      + "AND), or store the time in the source's rows";
  private static final String WHY_OTHER =
      "it gives another value whenever it is computed, so a change could not be taken back; "
      + "compute it where the rows are written, or in a Python function marked with "
      + "asNondeterministic(), whose results are remembered";
  private static final String WHY_UNKNOWN =
      "nothing is known of its class %s, so its value might change while no row does; if the same "
      + "arguments always give the same value, say so with " + KNOWN
      + "=%1$s, or compute it where the rows are written";

  private final Map<String, String> found = new LinkedHashMap<>();
  private final ClockCasts clock;
  private final List<String> known;
  private int windows;

  private Refusals(SQLConf conf) {
    clock = new ClockCasts(ZoneId.of(conf.sessionLocalTimeZone()));
    known = List.of(conf.getConfString(KNOWN, "").strip().split("\\s*,\\s*"));
  }

  /**
   * What to refuse in each of several queries.
   *
   * @param conf of the session that they were analysed in
   */
  public static List<Refusal> of(List<LogicalPlan> analyzed, SQLConf conf) {
    List<Refusal> result = new ArrayList<>();
    for (int query = 0; query < analyzed.size(); query++) {
      Refusals refusals = new Refusals(conf);
      refusals.visit(analyzed.get(query));
      // again where constants stand in their place: a cast may be one of 'today' only there
      refusals.visit(Inlined.constants(analyzed.get(query)));
      for (Map.Entry<String, String> found : refusals.found.entrySet()) {
        result.add(new Refusal(query, found.getKey(), found.getValue()));
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
    Facts facts = FactsTable.of(expression);
    boolean named = expression instanceof RuntimeReplaceable;
    Expression meant = named ? ((RuntimeReplaceable) expression).replacement() : expression;
    if (facts.variesWith() == Facts.VariesWith.CLOCK) {
      found.put(expression.prettyName() + "()", WHY_CLOCK);
      return;
    } else if (asksClock(meant)) {
      found.put(expression.sql(), WHY_CLOCK);
      return;
    }
    windows += expression instanceof WindowExpression ? 1 : 0;
    List<Expression> children = Scala.list(expression.children());
    children.forEach(this::visit);
    windows -= expression instanceof WindowExpression ? 1 : 0;
    String why = whyNot(expression, facts);
    if (why != null) {
      found.put(expression.sql(), why);
    } else if (named && !children.contains(meant)) {
      visit(meant);
    }
  }

  private boolean asksClock(Expression value) {
    return value instanceof Cast cast ? clock.asks(cast)
                                      : value instanceof Literal literal && clock.asks(literal);
  }

  private String whyNot(Expression expression, Facts facts) {
    boolean refused = switch (facts.variesWith()) {
      case ABSENT, UNKNOWN -> !isKnown(expression.getClass().getName());
      case TASK -> facts.retractable() != Facts.Retractable.VALUES || windows > 0;
      case ARGUMENTS -> expression instanceof AesEncrypt aes&& drawsVector(aes);
      default -> false;
    };
    if (refused
        && (facts.variesWith() == Facts.VariesWith.ABSENT
            || facts.variesWith() == Facts.VariesWith.UNKNOWN)) {
      return WHY_UNKNOWN.formatted(expression.getClass().getName());
    }
    return refused || saysSo(expression) ? facts.why().isEmpty() ? WHY_OTHER : facts.why() : null;
  }

  /** What a Python function gave once is remembered. */
  private static boolean saysSo(Expression expression) {
    return !expression.deterministic() && !(expression instanceof PythonUDF)
        && Scala.list(expression.children()).stream().allMatch(Expression::deterministic);
  }

  private boolean isKnown(String name) {
    return known.stream().anyMatch(each
        -> each.endsWith(".*") ? name.startsWith(each.substring(0, each.length() - 1))
                               : each.equals(name));
  }

  /** Without an initialization vector each call makes one up, where the mode has one. */
  private static boolean drawsVector(AesEncrypt aes) {
    boolean empty = aes.iv().foldable()
        && ClockCasts.value(aes.iv()).map(iv -> ((byte[]) iv).length == 0).orElse(false);
    return empty
        && !(aes.mode().foldable()
            && ClockCasts.value(aes.mode())
                .map(mode -> ((UTF8String) mode).toString().equalsIgnoreCase("ECB"))
                .orElse(false));
  }
}
