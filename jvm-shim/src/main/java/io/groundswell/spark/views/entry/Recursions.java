package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Inlined;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.rewrite.Levels;
import io.groundswell.spark.views.capture.stream.PlaceholderLeaf;
import io.groundswell.spark.views.capture.stream.PlaceholderRdd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnionLoop;
import org.apache.spark.sql.catalyst.plans.logical.UnionLoopRef;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;

/**
 * Queries that read their own rows, as queries that do not: what stands for the result, what stands
 * for the rows within the step, and all derivations of rows, each with its level.
 */
public final class Recursions {
  private Recursions() {}

  /** The placeholders that a frame reads, by key. */
  public static List<String> reads(Dataset<Row> frame) {
    List<String> keys = new ArrayList<>();
    Catalyst.analyzed(frame).foreachWithSubqueries(Scala.mapping(node -> {
      PlaceholderRdd rdd = PlaceholderLeaf.rdd(node);
      if (rdd != null) {
        keys.add(rdd.key());
      }
      return null;
    }));
    return keys;
  }

  /** An empty frame for the result of a recursion, whose base is given. */
  public static Dataset<Row> result(Dataset<Row> base) {
    return Placeholders.ofColumns(Catalyst.session(base), base.schema());
  }

  /** An empty frame for the rows of a recursion within its step: columns of the base, and level. */
  public static Dataset<Row> feedback(Dataset<Row> base) {
    return Placeholders.ofColumns(
        Catalyst.session(base), base.schema().add(Levels.LEVEL, DataTypes.IntegerType));
  }

  /**
   * Derivations of rows: those of the base at level 0, those of the step at one above the row
   * that they are made of.
   *
   * @param feedback key of what stands for the rows within the step
   * @throws IllegalArgumentException if the step cannot be followed
   */
  public static Dataset<Row> derivations(Dataset<Row> base, Dataset<Row> step, String feedback) {
    return Catalyst.ofRows(Catalyst.session(base),
        derivations(Catalyst.analyzed(base), Catalyst.analyzed(step), feedback, false));
  }

  private static LogicalPlan derivations(
      LogicalPlan base, LogicalPlan step, String feedback, boolean bag) {
    return Catalyst.union(
        List.of(Levels.first(base), Levels.of(step, node -> isPlaceholder(node, feedback), bag)));
  }

  private static boolean isPlaceholder(LogicalPlan node, String key) {
    PlaceholderRdd rdd = PlaceholderLeaf.rdd(node);
    return rdd != null && rdd.key().equals(key);
  }

  /**
   * A query with {@code WITH RECURSIVE}, and what its recursions are.
   *
   * @param frame the query, over what stands for their results
   */
  public record Unrolled(Dataset<Row> frame, List<Loop> loops) {}

  /**
   * A recursion.
   *
   * @param result key of what stands for it
   * @param feedback key of what stands for its rows within its step
   * @param limit how many rounds it may take; -1: as many as there are by default
   */
  public record Loop(String result, String feedback, Dataset<Row> derivations, long limit) {}

  /** Whether a frame has {@code WITH RECURSIVE}. */
  public static boolean isIn(Dataset<Row> frame) {
    return Catalyst.analyzed(frame).exists(Scala.function(node -> node instanceof UnionLoop));
  }

  /**
   * A query whose recursions are told apart from what reads them.
   *
   * @throws IllegalArgumentException if a step cannot be followed
   */
  public static Unrolled unrolled(Dataset<Row> frame) {
    SparkSession session = Catalyst.session(frame);
    LogicalPlan plan = Inlined.commonTables(Catalyst.analyzed(frame));
    List<Loop> loops = new ArrayList<>();
    Map<Long, PlaceholderRdd> results = new HashMap<>();
    LogicalPlan made = plan.transformUp(Scala.rule(node -> {
      if (!(node instanceof UnionLoop loop)) {
        return node;
      }
      PlaceholderRdd result = results.computeIfAbsent(loop.id(), id -> add(session, loop, loops));
      return Placeholders.relation(session, Scala.seq(nullable(loop.output())), result);
    }));
    return new Unrolled(Catalyst.ofRows(session, made), loops);
  }

  private static PlaceholderRdd add(SparkSession session, UnionLoop loop, List<Loop> loops) {
    Dataset<Row> anchor = Catalyst.ofRows(session, loop.anchor());
    if (loop.limit().isDefined()) {
      throw new IllegalArgumentException("a LIMIT on a recursion ends it by the order in which "
          + "rows come; take a condition on a level, and LIMIT behind an ORDER BY");
    }
    PlaceholderRdd within = PlaceholderLeaf.rdd(Catalyst.analyzed(feedback(anchor)));
    LogicalPlan step = loop.recursion().transformUp(Scala.rule(node -> {
      if (!(node instanceof UnionLoopRef ref) || ref.loopId() != loop.id()) {
        return node;
      }
      List<Attribute> output = nullable(ref.output());
      output.add(
          Catalyst.attribute(Levels.LEVEL, DataTypes.IntegerType, false, Catalyst.newExprId()));
      return Placeholders.relation(session, Scala.seq(output), within);
    }));
    Dataset<Row> all = Catalyst.ofRows(
        session, derivations(loop.anchor(), narrowed(step, loop), within.key(), true));
    PlaceholderRdd standing = PlaceholderLeaf.rdd(Catalyst.analyzed(result(anchor)));
    long limit = loop.maxDepth().isDefined() ? ((Number) loop.maxDepth().get()).longValue() : -1;
    loops.add(new Loop(standing.key(), within.key(), all, limit));
    return standing;
  }

  /** Later rounds may give nulls where the first rows have none. */
  private static List<Attribute> nullable(scala.collection.immutable.Seq<Attribute> columns) {
    List<Attribute> all = new ArrayList<>();
    Scala.list(columns).forEach(column -> all.add(column.withNullability(true)));
    return all;
  }

  /** The step's own columns: the level of its rows is no column of the query. */
  private static LogicalPlan narrowed(LogicalPlan step, UnionLoop loop) {
    int width = Scala.list(loop.output()).size();
    List<NamedExpression> list = new ArrayList<>(Scala.list(step.output()).subList(0, width));
    return list.size() == Scala.list(step.output()).size() ? step : Catalyst.project(list, step);
  }
}
