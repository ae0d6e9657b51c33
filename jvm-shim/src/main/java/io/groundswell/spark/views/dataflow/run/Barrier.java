package io.groundswell.spark.views.dataflow.run;

import io.groundswell.checkpoint.FlushPolicy;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Exchange;
import io.groundswell.spark.views.contract.barrier.BarrierRequest;
import io.groundswell.spark.views.contract.barrier.MergedPart;
import io.groundswell.spark.views.contract.barrier.SnapshotPart;
import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.exchange.GroupedRdd;
import io.groundswell.spark.views.dataflow.exchange.LocalExchanges;
import io.groundswell.spark.views.dataflow.exchange.PackedRows;
import io.groundswell.spark.views.dataflow.exchange.Places;
import io.groundswell.spark.views.dataflow.source.LateRows;
import io.groundswell.spark.views.dataflow.source.SourceReading;
import io.groundswell.spark.views.dataflow.source.SourceRows;
import io.groundswell.spark.views.dataflow.state.Commits;
import io.groundswell.spark.views.dataflow.state.MergedParts;
import io.groundswell.spark.views.dataflow.state.TaskReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.util.CollectionAccumulator;

/** One run of a dataflow: each operator's rows are built once, and kept if read more than once. */
public final class Barrier {
  final long epoch;
  final CollectionAccumulator<TaskReport> reports;
  final Watermarks watermarks;

  /** What becomes of what it commits. */
  final FlushPolicy commits;

  /** Its number in the application; rounds of one barrier have the same. */
  final long number;

  /** Whether rows are exchanged within this process, where they can be. */
  private final boolean local;

  private final SnapshotPart part;
  private final Map<String, List<MergedPart>> merged;
  private final boolean mergedElsewhere;

  /** How many tasks a stage may have where partitions are spread. */
  private final int tasks;

  private final Places places;
  private final SparkContext context;
  private final Map<Integer, RDD<InternalRow>> sources = new HashMap<>();
  private final Map<Integer, RDD<InternalRow>> lateRows = new HashMap<>();
  private final Map<String, List<CommitRef>> base;
  private final Map<Integer, RDD<InternalRow>> built = new HashMap<>();
  private final List<PackedRows> kept = new ArrayList<>();
  private final Map<RecursiveReferenceNode, RecursiveReferenceNode.Range> fed = new HashMap<>();
  private final boolean isRound;
  private final LocalExchanges exchanges = new LocalExchanges();

  /**
   * @param base commits of the epoch before, by state
   * @param number in the application; rounds of one barrier have the same
   * @param tasks how many a stage may have where partitions are spread
   * @param places where partitions of states are to be worked on
   * @param isRound whether it is a round of a recursion: of sources and states nothing is read
   */
  public Barrier(SparkContext context, BarrierRequest request, Map<String, List<CommitRef>> base,
      FlushPolicy commits, long number, boolean local, int tasks, Places places, boolean isRound) {
    this.number = number;
    this.isRound = isRound;
    this.places = places;
    this.local = local;
    this.tasks = tasks;
    this.part = request.part();
    this.merged = request.merged();
    this.mergedElsewhere = request.mergedElsewhere();
    this.context = context;
    this.epoch = request.epoch();
    this.base = base;
    this.watermarks = request.watermarks();
    this.commits = commits;
    this.reports = context.collectionAccumulator("groundswell.reports");
  }

  /**
   * A source's rows as inserts, read once though several operators want them.
   *
   * @param late whether some want those behind the watermark
   */
  public void addSource(SourceRows rows, Nodes.SourceNode node, int readers, boolean late) {
    SourceReading source = node.source;
    RDD<InternalRow> changes =
        rows.changes(source, epoch, watermarks.now().get(source.name()), late, reports);
    RDD<InternalRow> kept = readers < 2 ? changes : keep(changes, node.types);
    sources.put(source.tag(), late ? LateRows.without(kept) : kept);
    if (late) {
      lateRows.put(source.tag(), LateRows.only(kept, node.types));
    }
  }

  public RDD<InternalRow> rows(Node node) {
    if (!built.containsKey(node.id)) {
      RDD<InternalRow> rows = node.rows(this);
      built.put(node.id,
          rows == null || node.consumers < 2 || node.cheap() ? rows : keep(rows, node.types));
    }
    return built.get(node.id);
  }

  private RDD<InternalRow> keep(RDD<InternalRow> rows, List<DataType> types) {
    PackedRows packed = new PackedRows(rows, types);
    kept.add(packed);
    return packed.rows();
  }

  /** A node's rows with as many partitions as the tasks that do their stage. */
  public RDD<InternalRow> tasks(Node node, RDD<InternalRow> rows) {
    return node.isSpread() ? tasks(rows) : rows;
  }

  RDD<InternalRow> tasks(RDD<InternalRow> rows) {
    return GroupedRdd.of(rows, tasks);
  }

  /** Whether it is a round of a recursion. */
  boolean isRound() {
    return isRound;
  }

  /** Has a recursion give what two commits differ in. */
  void feed(RecursiveReferenceNode node, RecursiveReferenceNode.Range range) {
    fed.put(node, range);
  }

  /** What a recursion is to give; null: nothing. */
  RecursiveReferenceNode.Range fed(RecursiveReferenceNode node) {
    return fed.get(node);
  }

  /** What is wanted of states that are read as a whole; null: all their rows. */
  SnapshotPart part() {
    return part;
  }

  /** The rows where an exchange puts them: in this process if all tasks are in it. */
  RDD<InternalRow> exchange(Exchange planned, RDD<InternalRow> rows) {
    return local && planned.isLocal() ? exchanges.exchange(planned, rows) : planned.of(rows);
  }

  /** Runs what results read of; gives those that still have to be run. */
  public List<RDD<InternalRow>> prepared(
      List<RDD<InternalRow>> results, Consumer<List<RDD<InternalRow>>> job) {
    return exchanges.run(results, job);
  }

  /** How many partitions its exchanges have filled so far. */
  public int done() {
    return exchanges.done();
  }

  /** How many these and its results are; 0: not known, as where Spark exchanges rows. */
  public int all() {
    return exchanges.all();
  }

  /** False if there was nothing for it to do. */
  boolean ran(Node node) {
    return built.get(node.id) != null && !exchanges.isIdle(built.get(node.id));
  }

  /** The rows of a source, or null if it has no news. */
  RDD<InternalRow> source(int tag, boolean late) {
    return (late ? lateRows : sources).get(tag);
  }

  /** What the epoch before left in a state; null if it did not know it. */
  List<CommitRef> base(String state, int partitions) {
    return Commits.of(base, state, partitions);
  }

  /** The same, with as many partitions as there are. */
  List<CommitRef> base(String state) {
    return base.get(state);
  }

  /** What another process has merged for a state. */
  MergedParts merged(String state) {
    return new MergedParts(mergedElsewhere, merged.getOrDefault(state, List.of()));
  }

  /** Where the partitions of a state are to be worked on; none: Spark may choose. */
  List<String> places(String state, int partitions) {
    return places.of(state, partitions);
  }

  SparkContext context() {
    return context;
  }

  RDD<InternalRow> nothing(int partitions) {
    RDD<InternalRow> none = Catalyst.parallelize(context, List.of(), partitions);
    exchanges.nothing(none);
    return none;
  }

  /** Lets go of what was kept. */
  public void end() {
    kept.forEach(PackedRows::end);
    exchanges.close();
  }
}
