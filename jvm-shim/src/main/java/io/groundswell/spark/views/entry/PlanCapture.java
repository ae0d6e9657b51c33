package io.groundswell.spark.views.entry;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.capture.describe.MarkedQueries;
import io.groundswell.spark.views.capture.describe.PlanDescriber;
import io.groundswell.spark.views.capture.refuse.Refusals;
import io.groundswell.spark.views.capture.rewrite.CaptureOptimizer;
import io.groundswell.spark.views.capture.rewrite.WrappedFunctions;
import io.groundswell.spark.views.capture.stream.PlaceholderRdd;
import io.groundswell.spark.views.capture.stream.StreamingLeaves;
import io.groundswell.spark.views.contract.capture.FunctionDescriptions;
import io.groundswell.spark.views.contract.capture.PlanDescription;
import io.groundswell.spark.views.contract.capture.SourceDescription;
import io.groundswell.spark.views.contract.capture.SourceWatermark;
import io.groundswell.spark.views.decode.Decoding;
import io.groundswell.spark.views.facts.Settings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.python.UserDefinedPythonFunction;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Queries, optimised over placeholders: the description Python plans with, and the Catalyst nodes
 * and expressions behind its ids. A handle: keep it as long as a dataflow made from it is needed.
 */
public final class PlanCapture {
  private final SparkSession session;
  private final List<LogicalPlan> optimized;
  private final CapturedPlan plan = new CapturedPlan();
  private final Map<String, PlaceholderRdd> sources = new LinkedHashMap<>();
  private final String json;

  private PlanCapture(SparkSession session, List<OptimizedQuery> queries) {
    this.session = session;
    this.optimized = queries.stream().map(OptimizedQuery::optimized).toList();
    List<LogicalPlan> analyzed = queries.stream().map(OptimizedQuery::over).toList();
    PlanDescriber describer = new PlanDescriber(plan, sources::put);
    List<Integer> roots = describer.describe(optimized);
    this.json = Documents.write(new PlanDescription(roots, describer.nodes(), pinned(session),
        Refusals.of(analyzed, session.sessionState().conf()), describeSources(), decoding()));
  }

  /** Queries to be captured, whose functions over groups Python wraps first. */
  public static final class Request {
    private final SparkSession user;
    private final List<LogicalPlan> analyzed = new ArrayList<>();
    private final WrappedFunctions functions = new WrappedFunctions();

    private Request(List<Dataset<Row>> frames) {
      this.user = Catalyst.session(frames.get(0));
      frames.forEach(frame -> analyzed.add(functions.rewrite(Catalyst.analyzed(frame))));
    }

    /**
     * The functions that Python has to wrap.
     *
     * @return a {@link FunctionDescriptions}
     */
    public String functions() {
      return Documents.write(functions.described());
    }

    /** As {@link WrappedFunctions#wrap}. */
    public void wrap(long call, UserDefinedPythonFunction function) {
      functions.wrap(call, function);
    }

    /** Captures them to run as one dataflow; reads no row. */
    public PlanCapture capture() {
      SparkSession session = Catalyst.cloneWith(user, CaptureOptimizer.settings(user));
      return Catalyst.withActive(session, () -> {
        Set<LogicalPlan> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        List<OptimizedQuery> queries = new ArrayList<>();
        for (LogicalPlan given : analyzed) {
          LogicalPlan plan = functions.wrapped(given);
          queries.add(taken.add(plan) ? OptimizedQuery.of(session, plan)
                                      : OptimizedQuery.anew(session, plan));
        }
        return new PlanCapture(session, queries);
      });
    }
  }

  /** Begins to capture queries over streams, placeholders or both; they are of one session. */
  public static Request request(List<Dataset<Row>> frames) {
    return new Request(frames);
  }

  /** Captures a query without Python's functions over groups. */
  public static PlanCapture of(Dataset<Row> frame) {
    return request(List.of(frame)).capture();
  }

  /**
   * The queries, for planning; docs/rfcs/0002-dataflow.md tells of them.
   *
   * @return a {@link PlanDescription}
   */
  public String json() {
    return json;
  }

  /** The optimised plans as Spark prints them, for messages. */
  public String text() {
    return optimized.stream().map(LogicalPlan::treeString).collect(Collectors.joining("\n"));
  }

  /** The streaming frame behind the source of that key. */
  public Dataset<Row> source(String key) {
    PlaceholderRdd rdd = sources.get(key);
    if (rdd == null || rdd.streaming() == null) {
      throw new IllegalArgumentException(
          "no source \"" + key + "\" in this query; it has " + sources.keySet());
    }
    return rdd.streaming();
  }

  /** An empty frame that stands for the source, or view, of that key: all of its columns. */
  public Dataset<Row> placeholder(String key) {
    PlaceholderRdd rdd = sources.get(key);
    if (rdd == null) {
      throw new IllegalArgumentException(
          "no source \"" + key + "\" in this query; it has " + sources.keySet());
    }
    return Placeholders.over(session, rdd);
  }

  CapturedPlan plan() {
    return plan;
  }

  SparkSession session() {
    return session;
  }

  /** The settings that values of expressions depend on, by name; defaults are left out. */
  public static Map<String, Object> pinned(SparkSession session) {
    Map<String, Object> pinned = new LinkedHashMap<>();
    pinned.put("timezone", session.sessionState().conf().sessionLocalTimeZone());
    pinned.put("ansi", session.sessionState().conf().ansiEnabled());
    pinned.put("caseSensitive", session.sessionState().conf().caseSensitiveAnalysis());
    CollectionConverters.asJava(session.sessionState().conf().getAllConfs())
        .forEach((key, value) -> {
          if (Settings.effect(key) == Settings.Effect.VALUE && !Catalyst.isDefault(key, value)) {
            pinned.put(key, value);
          }
        });
    return pinned;
  }

  /** How JSON is read by the queries, and by what is computed of their streams. */
  private List<String> decoding() {
    Stream<LogicalPlan> streams = sources.values()
                                      .stream()
                                      .filter(rdd -> rdd.streaming() != null)
                                      .map(rdd -> Catalyst.analyzed(rdd.streaming()));
    return Stream.concat(optimized.stream(), streams)
        .flatMap(plan -> Decoding.notes(plan).stream())
        .distinct()
        .toList();
  }

  private List<SourceDescription> describeSources() {
    return sources.values().stream().map(this::describe).toList();
  }

  private SourceDescription describe(PlaceholderRdd rdd) {
    if (rdd.streaming() == null) {
      return new SourceDescription(
          rdd.key(), rdd.sourceName(), rdd.schema(), false, List.of(""), List.of(), null, null);
    }
    LogicalPlan streaming = Catalyst.analyzed(rdd.streaming());
    SourceWatermark watermark = rdd.eventTime() == null
        ? null
        : new SourceWatermark(rdd.eventTime().column(), rdd.eventTime().delayMillis());
    return new SourceDescription(rdd.key(), rdd.sourceName(), rdd.schema(),
        StreamingLeaves.cleans(streaming), StreamingLeaves.names(streaming),
        StreamingLeaves.folders(streaming, session.sessionState().newHadoopConf()),
        watermark == null ? null : MarkedQueries.text(streaming), watermark);
  }
}
