package io.groundswell.spark.views.entry;

import com.google.common.collect.MapMaker;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.stream.EventTime;
import io.groundswell.spark.views.capture.stream.PlaceholderLeaf;
import io.groundswell.spark.views.capture.stream.PlaceholderRdd;
import io.groundswell.spark.views.capture.stream.StreamingLeaves;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * Batch relations in the place of streams; they cannot be run. A placeholder is a {@code
 * LogicalRDD}: the optimiser cannot look into it, so it neither folds the query away nor learns a
 * size.
 */
public final class Placeholders {
  private static final AtomicLong NEXT = new AtomicLong();

  /** One RDD a source, by identity, so that all views of a process agree on what a source is. */
  private static final ConcurrentMap<Object, PlaceholderRdd> BY_SOURCE =
      new MapMaker().weakKeys().weakValues().makeMap();

  /** The same of plans under a watermark, of which a source may have several. */
  private static final ConcurrentMap<Object, List<WeakReference<PlaceholderRdd>>> MARKED =
      new MapMaker().weakKeys().makeMap();

  private Placeholders() {}

  /**
   * A batch frame with the schema of {@code streaming}, to be used in any query.
   *
   * @param name the source's, for people; or null
   */
  public static Dataset<Row> of(Dataset<Row> streaming, String name) {
    if (!streaming.isStreaming()) {
      throw new IllegalArgumentException(
          "a source must be a streaming DataFrame (spark.readStream ...), and this one is not: "
          + streaming.schema().simpleString());
    }
    SparkSession session = Catalyst.session(streaming);
    Seq<Attribute> output = Scala.seq(Scala.list(Catalyst.analyzed(streaming).output())
            .stream()
            .map(Attribute::newInstance)
            .toList());
    LogicalPlan plan = Catalyst.analyzed(streaming);
    EventTime eventTime = EventTime.within(plan);
    PlaceholderRdd rdd = newRdd(session, name,
        eventTime == null ? streaming : Catalyst.ofRows(session, EventTime.unmarked(plan)),
        eventTime);
    return Catalyst.ofRows(session, relation(session, output, rdd));
  }

  /** Whether the stream has a LIMIT, which Spark puts above the tag of the source. */
  public static boolean isLimited(Dataset<Row> streaming) {
    return Catalyst.analyzed(streaming).exists(
        Scala.function(node -> node instanceof GlobalLimit && node.isStreaming()));
  }

  /** The names that streams which a frame reads were given, each stream once. */
  public static List<String> names(Dataset<Row> streaming) {
    Map<Object, String> names = new IdentityHashMap<>();
    for (LogicalPlan leaf : Scala.list(Catalyst.analyzed(streaming).collectLeaves())) {
      if (StreamingLeaves.isLeaf(leaf) && StreamingLeaves.name(leaf) != null) {
        names.put(StreamingLeaves.identity(leaf), StreamingLeaves.name(leaf));
      }
    }
    return List.copyOf(names.values());
  }

  /**
   * A frame with the columns of {@code view}, a query: what it stands for is its result.
   *
   * @param name the view's, for people; or null
   */
  public static Dataset<Row> ofView(Dataset<Row> view, String name) {
    SparkSession session = Catalyst.session(view);
    Seq<Attribute> output = Scala.seq(
        Scala.list(Catalyst.analyzed(view).output()).stream().map(Attribute::newInstance).toList());
    PlaceholderRdd rdd = new PlaceholderRdd(
        session.sparkContext(), "v" + NEXT.incrementAndGet(), name, view.schema(), null, null);
    return Catalyst.ofRows(session, relation(session, output, rdd));
  }

  /** A frame with such columns, any of which may be null. */
  static Dataset<Row> ofColumns(SparkSession session, StructType columns) {
    return over(session,
        new PlaceholderRdd(session.sparkContext(), "v" + NEXT.incrementAndGet(), null,
            columns.asNullable(), null, null));
  }

  /**
   * A frame over one placeholder, which it means in another way; see {@link PlaceholderRdd#use}.
   *
   * @throws IllegalArgumentException if the frame is another query
   */
  public static Dataset<Row> meant(Dataset<Row> placeholder, String use) {
    SparkSession session = Catalyst.session(placeholder);
    LogicalPlan plan = Catalyst.analyzed(placeholder);
    List<LogicalPlan> leaves = Scala.list(plan.collectLeaves());
    PlaceholderRdd rdd = leaves.size() == 1 ? PlaceholderLeaf.rdd(leaves.get(0)) : null;
    if (rdd == null || rdd.use() != null) {
      throw new IllegalArgumentException("not a source or view, but a query: " + plan.nodeName());
    }
    PlaceholderRdd other = rdd.as(use);
    return Catalyst.ofRows(session,
        plan.transformUp(Scala.rule(node
            -> PlaceholderLeaf.rdd(node) == null ? node
                                                 : relation(session, node.output(), other))));
  }

  /** A frame over all columns of a placeholder that is there. */
  static Dataset<Row> over(SparkSession session, PlaceholderRdd rdd) {
    List<Attribute> output = new ArrayList<>();
    for (StructField field : rdd.schema().fields()) {
      output.add(Catalyst.attribute(
          field.name(), field.dataType(), field.nullable(), Catalyst.newExprId()));
    }
    return Catalyst.ofRows(session, relation(session, Scala.seq(output), rdd));
  }

  /** Whether a frame is what stands for a source or a view, and nothing else. */
  public static boolean isPlaceholder(Dataset<Row> frame) {
    return PlaceholderLeaf.rdd(Catalyst.analyzed(frame)) != null;
  }

  /** Whether a frame reads what stands for a source or a view. */
  public static boolean isOver(Dataset<Row> frame) {
    return Scala.list(Catalyst.analyzed(frame).collectLeaves())
        .stream()
        .anyMatch(leaf -> PlaceholderLeaf.rdd(leaf) != null);
  }

  /** Whether a source that a frame reads has a watermark; a view that it reads may have one. */
  public static boolean mayHaveWatermark(Dataset<Row> frame) {
    return Scala.list(Catalyst.analyzed(frame).collectLeaves())
        .stream()
        .map(PlaceholderLeaf::rdd)
        .anyMatch(rdd -> rdd != null && (rdd.streaming() == null || rdd.eventTime() != null));
  }

  /** The key of the source behind a frame made by {@link #of}. */
  public static String key(Dataset<Row> placeholder) {
    PlaceholderRdd rdd = PlaceholderLeaf.rdd(Catalyst.analyzed(placeholder));
    if (rdd == null) {
      throw new IllegalArgumentException(
          "not a placeholder: " + placeholder.schema().simpleString());
    }
    return rdd.key();
  }

  /**
   * The same plan with a name on every source that has none: {@code name}, or {@code name_1},
   * {@code name_2}, ... if it reads several.
   */
  static LogicalPlan named(LogicalPlan plan, String name) {
    long unnamed = StreamingLeaves.names(plan).stream().filter(String::isEmpty).count();
    int[] seen = {0};
    return plan.transformDown(Scala.rule(node -> {
      if (!StreamingLeaves.isLeaf(node) || StreamingLeaves.name(node) != null) {
        return node;
      }
      String shared = StreamingLeaves.shared(node);
      if (shared != null) {
        return StreamingLeaves.withName(node, shared);
      }
      seen[0]++;
      return StreamingLeaves.withName(node, unnamed == 1 ? name : name + "_" + seen[0]);
    }));
  }

  /** Puts a placeholder in the place of every stream that an analysed plan reads. */
  public static LogicalPlan replaceLeaves(SparkSession session, LogicalPlan analyzed) {
    return analyzed.transformDownWithSubqueries(Scala.rule(node -> {
      if (EventTime.marksSource(node)) {
        return relation(session, node.output(), rddOf(session, (EventTimeWatermark) node));
      }
      return StreamingLeaves.isLeaf(node) ? relation(session, node.output(), rddOf(session, node))
                                          : node;
    }));
  }

  /** What stands for a source, with these columns. */
  static LogicalPlan relation(SparkSession session, Seq<Attribute> output, PlaceholderRdd rdd) {
    return Catalyst.logicalRdd(session, output, rdd, new UnknownPartitioning(0));
  }

  private static PlaceholderRdd rddOf(SparkSession session, LogicalPlan leaf) {
    return BY_SOURCE.computeIfAbsent(StreamingLeaves.identity(leaf),
        source
        -> newRdd(session, StreamingLeaves.name(leaf), Catalyst.ofRows(session, leaf), null));
  }

  /** Plans that differ in attribute ids alone, over one stream, are one source. */
  private static PlaceholderRdd rddOf(SparkSession session, EventTimeWatermark mark) {
    LogicalPlan leaf = mark.collectLeaves().head();
    EventTime eventTime = EventTime.of(mark);
    List<WeakReference<PlaceholderRdd>> known =
        MARKED.computeIfAbsent(StreamingLeaves.identity(leaf), source -> new ArrayList<>());
    synchronized (known) {
      for (WeakReference<PlaceholderRdd> reference : known) {
        PlaceholderRdd other = reference.get();
        if (other != null && other.eventTime().equals(eventTime)
            && Catalyst.analyzed(other.streaming()).sameResult(mark.child())) {
          return other;
        }
      }
      PlaceholderRdd rdd = newRdd(
          session, StreamingLeaves.name(leaf), Catalyst.ofRows(session, mark.child()), eventTime);
      known.removeIf(reference -> reference.get() == null);
      known.add(new WeakReference<>(rdd));
      return rdd;
    }
  }

  private static PlaceholderRdd newRdd(
      SparkSession session, String name, Dataset<Row> streaming, EventTime eventTime) {
    return new PlaceholderRdd(session.sparkContext(), "s" + NEXT.incrementAndGet(), name,
        streaming.schema(), streaming, eventTime);
  }
}
