package io.groundswell.spark.views.entry;

import io.groundswell.GroundswellCheckpointFileManager;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.shims.StageCode;
import io.groundswell.spark.views.capture.stream.StreamLimits;
import io.groundswell.spark.views.capture.stream.StreamingLeaves;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * All sources of a pipeline as one streaming frame, so that one micro-batch holds what all of them
 * have: {@code _source int, _s0 struct, _s1 struct, ...}, where each row fills the struct of its
 * own source. {@code SourceSplitter} takes it apart again.
 *
 * <p>Sources that read one shared stream (tables of one change stream) have one branch, so that
 * Spark has one stream with one offset. The branch carries the tag of the first of them; each fills
 * the struct of its own, where its condition holds.
 */
public final class SourceUnion {
  static final String TAG = "_source";

  /** Spark finds sources again by name only with these, and then refuses unnamed ones. */
  private static final List<String[]> NAMED_SOURCES =
      List.of(new String[] {"spark.sql.streaming.queryEvolution.enableSourceEvolution", "true"},
          new String[] {"spark.sql.streaming.offsetLog.formatVersion", "2"},
          new String[] {"spark.sql.adaptive.enabled", "false"},
          new String[] {StageCode.SETTING, "true"});

  /** Spark's log entries of a barrier: five files, each of which Hadoop starts a process for. */
  private static final String[] LOG_FILES = {"spark.sql.streaming.checkpointFileManagerClass",
      GroundswellCheckpointFileManager.class.getName()};

  private SourceUnion() {}

  /**
   * @param sources streaming frames; the tag of each is its position
   * @param names what the checkpoint calls each: letters, digits and underscores
   * @param limits of each source, the rows and the bytes that a micro-batch takes; 0: any number.
   *     Of sources that share a stream those of the first count
   */
  public static Dataset<Row> of(
      List<Dataset<Row>> sources, List<String> names, List<List<Number>> limits) {
    if (sources.isEmpty() || sources.size() != names.size()) {
      throw new IllegalArgumentException("a pipeline needs a source and each a name: "
          + sources.size() + " sources, " + names.size() + " names");
    }
    SparkSession user = Catalyst.session(sources.get(0));
    List<String[]> settings = new ArrayList<>(NAMED_SOURCES);
    if (!user.conf().contains(LOG_FILES[0])) {
      settings.add(LOG_FILES);
    }
    SparkSession session = Catalyst.cloneWith(user, settings);
    List<StructType> schemas = sources.stream().map(Dataset::schema).toList();
    List<LogicalPlan> branches = new ArrayList<>();
    Map<Object, List<Integer>> streams = new LinkedHashMap<>();
    for (int tag = 0; tag < names.size(); tag++) {
      LogicalPlan stream = sharedStream(Catalyst.analyzed(sources.get(tag)));
      streams.computeIfAbsent(stream == null ? tag : stream, key -> new ArrayList<>()).add(tag);
    }
    streams.forEach((stream, tags) -> {
      int tag = tags.get(0);
      String name =
          stream instanceof LogicalPlan leaf ? StreamingLeaves.shared(leaf) : names.get(tag);
      LogicalPlan plan = tags.size() == 1
          ? branch(Catalyst.analyzed(sources.get(tag)), tag, schemas)
          : branch((LogicalPlan) stream, tags, sources, schemas);
      List<Number> most = limits.get(tag);
      branches.add(Placeholders.named(
          StreamLimits.within(plan, most.get(0).longValue(), most.get(1).longValue()), name));
    });
    return Catalyst.ofRows(
        session, branches.size() == 1 ? branches.get(0) : Catalyst.union(branches));
  }

  private static LogicalPlan branch(LogicalPlan plan, int tag, List<StructType> schemas) {
    List<NamedExpression> columns = new ArrayList<>();
    columns.add(Catalyst.alias(Literal.create(tag, DataTypes.IntegerType), TAG));
    for (int i = 0; i < schemas.size(); i++) {
      Expression value = i == tag ? Catalyst.struct(Scala.list(plan.output()))
                                  : Literal.create(null, schemas.get(i));
      columns.add(Catalyst.alias(value, "_s" + i));
    }
    return Catalyst.project(columns, plan);
  }

  /** The shared stream that a plan projects and filters; null: another plan. */
  private static LogicalPlan sharedStream(LogicalPlan plan) {
    LogicalPlan leaf = Catalyst.projected(plan).map(Catalyst.Projected::leaf).orElse(null);
    return leaf != null && StreamingLeaves.shared(leaf) != null ? leaf : null;
  }

  private static LogicalPlan branch(LogicalPlan stream, List<Integer> tags,
      List<Dataset<Row>> sources, List<StructType> schemas) {
    List<NamedExpression> columns = new ArrayList<>();
    columns.add(Catalyst.alias(Literal.create(tags.get(0), DataTypes.IntegerType), TAG));
    for (int i = 0; i < schemas.size(); i++) {
      Expression none = Literal.create(null, schemas.get(i));
      Expression value = none;
      if (tags.contains(i)) {
        Catalyst.Projected source =
            Catalyst.projected(Catalyst.analyzed(sources.get(i))).orElseThrow();
        value = new If(source.condition(), Catalyst.structOf(source.columns()), none);
      }
      columns.add(Catalyst.alias(value, "_s" + i));
    }
    return Catalyst.project(columns, stream);
  }
}
