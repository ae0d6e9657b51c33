package io.groundswell.spark.views.entry;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.capture.describe.MarkedQueries;
import io.groundswell.spark.views.capture.describe.PlanDescriber;
import io.groundswell.spark.views.capture.refuse.Refusals;
import io.groundswell.spark.views.capture.rewrite.CaptureOptimizer;
import io.groundswell.spark.views.capture.rewrite.Deduplicates;
import io.groundswell.spark.views.capture.rewrite.Rewrites;
import io.groundswell.spark.views.capture.rewrite.TemporalFilters;
import io.groundswell.spark.views.capture.rewrite.WrappedFunctions;
import io.groundswell.spark.views.capture.stream.StandInRdd;
import io.groundswell.spark.views.capture.stream.StreamingLeaves;
import io.groundswell.spark.views.facts.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.python.UserDefinedPythonFunction;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Queries, optimised over stand-ins: the description Python plans with, and the Catalyst nodes
 * and expressions behind its ids. A handle: keep it as long as a dataflow made from it is needed.
 */
public final class PlanCapture {
  private final SparkSession session;
  private final List<LogicalPlan> optimized;
  private final CapturedPlan plan = new CapturedPlan();
  private final Map<String, StandInRdd> sources = new LinkedHashMap<>();
  private final String json;

  private PlanCapture(
      SparkSession session, List<LogicalPlan> analyzed, List<LogicalPlan> optimized) {
    this.session = session;
    this.optimized = optimized;
    ObjectNode description = new PlanDescriber(plan, sources::put).describe(optimized);
    description.set("pinned", pinned(session));
    description.set("refusals", Refusals.of(analyzed, session.sessionState().conf()));
    description.set("sources", describeSources());
    this.json = description.toString();
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

    /** As {@link WrappedFunctions#described}. */
    public String functions() {
      return functions.described().toString();
    }

    /** As {@link WrappedFunctions#wrap}. */
    public void wrap(long call, UserDefinedPythonFunction function) {
      functions.wrap(call, function);
    }

    /** Captures them to run as one dataflow; reads no row. */
    public PlanCapture capture() {
      SparkSession session = Catalyst.cloneWith(user, CaptureOptimizer.settings(user));
      return Catalyst.withActive(session, () -> {
        List<LogicalPlan> plans = new ArrayList<>();
        List<LogicalPlan> optimized = new ArrayList<>();
        for (LogicalPlan given : analyzed) {
          LogicalPlan plan = TemporalFilters.mark(
              Deduplicates.rewrite(StandIns.replaceLeaves(session, functions.wrapped(given))));
          plans.add(plan);
          optimized.add(Rewrites.apply(CaptureOptimizer.optimize(session, plan)));
        }
        return new PlanCapture(session, plans, optimized);
      });
    }
  }

  /** Begins to capture queries over streams, stand-ins or both; they are of one session. */
  public static Request request(List<Dataset<Row>> frames) {
    return new Request(frames);
  }

  /** Captures a query without Python's functions over groups. */
  public static PlanCapture of(Dataset<Row> frame) {
    return request(List.of(frame)).capture();
  }

  /** The description, as docs/rfcs/0002-dataflow.md has it. */
  public String json() {
    return json;
  }

  /** The optimised plans as Spark prints them, for messages. */
  public String text() {
    return optimized.stream().map(LogicalPlan::treeString).collect(Collectors.joining("\n"));
  }

  /** The streaming frame behind the source of that key. */
  public Dataset<Row> source(String key) {
    StandInRdd rdd = sources.get(key);
    if (rdd == null || rdd.streaming() == null) {
      throw new IllegalArgumentException(
          "no source \"" + key + "\" in this query; it has " + sources.keySet());
    }
    return rdd.streaming();
  }

  /** An empty frame that stands for the source, or view, of that key: all of its columns. */
  public Dataset<Row> standIn(String key) {
    StandInRdd rdd = sources.get(key);
    if (rdd == null) {
      throw new IllegalArgumentException(
          "no source \"" + key + "\" in this query; it has " + sources.keySet());
    }
    return StandIns.over(session, rdd);
  }

  CapturedPlan plan() {
    return plan;
  }

  SparkSession session() {
    return session;
  }

  private static ObjectNode pinned(SparkSession session) {
    ObjectNode pinned =
        Json.object()
            .put("timezone", session.sessionState().conf().sessionLocalTimeZone())
            .put("ansi", session.sessionState().conf().ansiEnabled())
            .put("caseSensitive", session.sessionState().conf().caseSensitiveAnalysis());
    CollectionConverters.asJava(session.sessionState().conf().getAllConfs())
        .forEach((key, value) -> {
          if (Settings.effect(key) == Settings.Effect.VALUE && !Catalyst.isDefault(key, value)) {
            pinned.put(key, value);
          }
        });
    return pinned;
  }

  private ArrayNode describeSources() {
    ArrayNode result = Json.array();
    for (StandInRdd rdd : sources.values()) {
      ObjectNode source = result.addObject().put("key", rdd.key()).put("name", rdd.sourceName());
      source.set("schema", Json.parse(rdd.schema().json()));
      if (rdd.streaming() != null) {
        LogicalPlan streaming = Catalyst.analyzed(rdd.streaming());
        if (StreamingLeaves.cleans(streaming)) {
          source.put("cleans", true);
        }
        List<String> streams = StreamingLeaves.names(streaming);
        if (!streams.equals(List.of(""))) {
          streams.forEach(source.putArray("streams")::add);
        }
        StreamingLeaves.folders(streaming, session.sessionState().newHadoopConf())
            .forEach(source.putArray("folders")::add);
      }
      if (rdd.eventTime() != null) {
        source.put("below", MarkedQueries.text(Catalyst.analyzed(rdd.streaming())));
        source.putObject("watermark")
            .put("column", rdd.eventTime().column())
            .put("delayMillis", rdd.eventTime().delayMillis());
      }
    }
    return result;
  }
}
