package io.groundswell.spark.views.dataflow;

import io.groundswell.checkpoint.EpochPackRetention;
import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.FlushPolicy;
import io.groundswell.checkpoint.Ownership;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Executors;
import io.groundswell.spark.shims.Jobs;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.capture.describe.CapturedPlan;
import io.groundswell.spark.views.contract.barrier.BarrierMillis;
import io.groundswell.spark.views.contract.barrier.BarrierProgress;
import io.groundswell.spark.views.contract.barrier.BarrierRequest;
import io.groundswell.spark.views.contract.barrier.BarrierResult;
import io.groundswell.spark.views.contract.barrier.BatchSize;
import io.groundswell.spark.views.contract.barrier.BatchSizes;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.PendingCommit;
import io.groundswell.spark.views.contract.commits.RescaleRequest;
import io.groundswell.spark.views.contract.commits.RescaleResult;
import io.groundswell.spark.views.contract.commits.RetireRequest;
import io.groundswell.spark.views.contract.dataflow.DataflowSpec;
import io.groundswell.spark.views.dataflow.compile.Compiler;
import io.groundswell.spark.views.dataflow.exchange.GroupedRdd;
import io.groundswell.spark.views.dataflow.exchange.Places;
import io.groundswell.spark.views.dataflow.rescale.Rescaling;
import io.groundswell.spark.views.dataflow.run.Barrier;
import io.groundswell.spark.views.dataflow.run.Node;
import io.groundswell.spark.views.dataflow.run.Nodes;
import io.groundswell.spark.views.dataflow.run.OperatorException;
import io.groundswell.spark.views.dataflow.run.Results;
import io.groundswell.spark.views.dataflow.run.Rounds;
import io.groundswell.spark.views.dataflow.source.BatchCounts;
import io.groundswell.spark.views.dataflow.source.CachedReads;
import io.groundswell.spark.views.dataflow.source.SourceReading;
import io.groundswell.spark.views.dataflow.source.SourceSplitter;
import io.groundswell.spark.views.dataflow.state.Commits;
import io.groundswell.spark.views.dataflow.state.PackNeeds;
import io.groundswell.spark.views.dataflow.state.PendingCommits;
import io.groundswell.spark.views.dataflow.state.Retiring;
import io.groundswell.spark.views.dataflow.state.SharedPacks;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import io.groundswell.spark.views.dataflow.state.TaskPacks;
import io.groundswell.spark.views.dataflow.state.Writers;
import io.groundswell.spark.views.messages.SchemaFolder;
import io.groundswell.storage.FastPath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs compiled dataflows: all that a barrier writes comes out of one Spark job. */
public final class DataflowRunner {
  /** Session setting: false has rows exchanged by Spark also where all tasks are in one process. */
  private static final String LOCAL_EXCHANGE = "spark.groundswell.localExchange";

  /** Session setting, see {@link FlushPolicy#of}. */
  private static final String PACKS = "spark.groundswell.packs";

  /** What a barrier fails with whose commits are not there. */
  private static final Set<ErrorCode> LOST =
      Set.of(ErrorCode.CHECKPOINT_LOST, ErrorCode.VERSION_UNAVAILABLE, ErrorCode.STORAGE);

  /** Counts those of this application. */
  private static final AtomicLong BARRIERS = new AtomicLong();

  /** The barriers that run now, by the folder of their pipeline; without what runs beside them. */
  private static final Map<String, Running> RUNNING = new ConcurrentHashMap<>();

  private record Running(Barrier barrier, long epoch, long begun) {}

  private static final Logger LOG = LoggerFactory.getLogger(DataflowRunner.class);

  private final SparkSession session;
  private final Configuration conf;

  /** The pipeline's folder. */
  private final String home;

  /** What states stand in. */
  private final String root;

  private final List<Node> nodes;
  private final boolean local;

  /** How many tasks its stages may have, for it runs beside another dataflow; 0: it does not. */
  private final int tasks;

  private final Map<Integer, Integer> readers = new HashMap<>();
  private final Map<Integer, Nodes.SourceNode> sources = new HashMap<>();
  private final Set<Integer> late = new HashSet<>();
  private final CachedReads reads;
  private final Retiring retiring;
  private final PackNeeds packs;
  private final Places places = new Places();
  private final Writers writers = new Writers();

  /** The commits that the last barrier has left; null: none has run, or it failed. */
  private Left left;
  private record Left(long epoch, Map<String, List<CommitRef>> commits) {}

  private DataflowRunner(
      SparkSession session, String home, String root, int tasks, List<Node> nodes) {
    this.session = session;
    this.home = home;
    this.root = root;
    this.tasks = tasks;
    this.nodes = nodes;
    this.reads = new CachedReads(new SchemaFolder(session, home + "/schemas"));
    this.conf = session.sessionState().newHadoopConf();
    this.retiring = new Retiring(partition
        -> StoreRegistry.get(partition.folder(), conf)
            .retire(partition.needed(), partition.oldestMerge()));
    this.packs = new PackNeeds(root, conf);
    this.local =
        oneProcess() && session.conf().get(LOCAL_EXCHANGE, "true").equalsIgnoreCase("true");
    for (Node node : nodes) {
      if (node instanceof Nodes.SourceNode reader) {
        SourceReading source = reader.source;
        readers.merge(source.tag(), Math.max(1, reader.consumers), Integer::sum);
        reads.begin(source.tag(), source.filters());
        if (source.late()) {
          late.add(source.tag());
        }
        Nodes.SourceNode other = sources.putIfAbsent(source.tag(), reader);
        if (other != null
            && !(other.source.rowId() == source.rowId() && other.types.equals(reader.types))) {
          throw new IllegalArgumentException(reader.label + " and " + other.label
              + " stand for one source and must have the same fields and row ids");
        }
      }
    }
  }

  public static DataflowRunner compile(DataflowSpec spec, CapturedPlan plan, SparkSession session) {
    return new DataflowRunner(
        session, spec.root(), spec.states(), spec.tasks(), Compiler.compile(spec, plan, session));
  }

  /** See {@code Dataflow.run}. */
  public BarrierResult run(BarrierRequest request, Dataset<Row> batch) {
    Map<String, List<CommitRef>> base = base(request);
    FlushPolicy commits = committing(request);
    try {
      return run(request, base, commits, batch);
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      if (commits != FlushPolicy.PROCESS || oneProcess() || !isLost(e)) {
        throw Scala.unchecked(causeOf(e));
      }
      LOG.warn("epoch {} is run again, with commits that are durable when their tasks end: {}",
          request.epoch(), e.getMessage());
    }
    try {
      return run(request, base, FlushPolicy.TASK, batch);
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      throw Scala.unchecked(causeOf(e));
    }
  }

  /** Whether commits may have gone with a process, or a task have moved from where they are. */
  private static boolean isLost(Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof EngineException known && LOST.contains(known.code())) {
        return true;
      }
    }
    return false;
  }

  private BarrierResult run(BarrierRequest request, Map<String, List<CommitRef>> base,
      FlushPolicy commits, Dataset<Row> batch) {
    places.renew(Executors.locations(session.sparkContext()));
    SharedPacks packs = new SharedPacks(session, conf, root, BARRIERS.incrementAndGet());
    Function<Map<String, List<CommitRef>>, Barrier> round =
        over -> barrier(request, over, commits, packs.number(), true);
    Barrier barrier = barrier(request, base, commits, packs.number(), false);
    long begun = System.nanoTime();
    if (tasks == 0) {
      RUNNING.put(home, new Running(barrier, request.epoch(), begun));
    }
    List<String> taken = new ArrayList<>();
    List<RDD<InternalRow>> shared = new ArrayList<>();
    try {
      if (batch != null) {
        SourceSplitter.split(batch, reads, shared).forEach((tag, rows) -> {
          rows.filesIn(home + "/tables").forEach(taken::add);
          if (readers.containsKey(tag)) {
            barrier.addSource(rows, sources.get(tag), readers.get(tag), late.contains(tag));
          }
        });
      }
      long rounding = System.nanoTime();
      Rounds rounds = new Rounds(nodes, barrier, round, this::runNode).run();
      long ran = System.nanoTime() - rounding;
      List<RDD<InternalRow>> results = new ArrayList<>();
      for (Node node : nodes) {
        if (node.consumers == 0 || node.always) {
          RDD<InternalRow> rows = barrier.rows(node);
          results.add(rows == null ? null : barrier.tasks(node, rows));
        }
      }
      long built = System.nanoTime();
      runJob(barrier.prepared(results.stream().filter(Objects::nonNull).toList(), this::runJob));
      Results made = new Results(nodes, barrier, rounds);
      if (commits == FlushPolicy.PROCESS) {
        packs.publish(made.packs());
      }
      boolean waits = commits == FlushPolicy.OVERLAPPED && packs.keep(made.packs());
      BarrierResult result = made.result(new BarrierMillis((built - begun - ran) / 1_000_000,
                                             (System.nanoTime() - built + ran) / 1_000_000),
          taken, retiring.report(request.epoch()), writers,
          waits ? List.of(packs.number()) : List.of());
      left = new Left(request.epoch(), made.commits());
      return result;
    } finally {
      if (tasks == 0) {
        RUNNING.remove(home);
      }
      barrier.end();
      packs.discard();
      shared.forEach(rows -> rows.unpersist(false));
    }
  }

  /** See {@code Dataflow.progress}. */
  public BarrierProgress progress() {
    Running now = RUNNING.get(home);
    return now == null
        ? null
        : new BarrierProgress(now.epoch(), (System.nanoTime() - now.begun()) / 1_000_000,
              now.barrier().done(), now.barrier().all());
  }

  private boolean oneProcess() {
    return session.sparkContext().isLocal();
  }

  private FlushPolicy committing(BarrierRequest request) {
    boolean highLatency = packs().hasHighLatency();
    return FlushPolicy.of(request.durable(), request.overlaps(), request.part() != null,
        oneProcess(), highLatency, session.conf().get(PACKS, ""));
  }

  private Barrier barrier(BarrierRequest request, Map<String, List<CommitRef>> base,
      FlushPolicy commits, long number, boolean isRound) {
    SparkContext context = session.sparkContext();
    return new Barrier(context, request, base, commits, number,
        local && FastPath.LOCAL_EXCHANGE.isOpen(), tasks > 0 ? tasks : context.defaultParallelism(),
        places, isRound);
  }

  /** Runs one operator, and what it reads. */
  private void runNode(Barrier barrier, Node node) {
    RDD<InternalRow> rows = barrier.rows(node);
    List<RDD<InternalRow>> results = rows == null ? List.of() : List.of(barrier.tasks(node, rows));
    runJob(barrier.prepared(results, this::runJob));
  }

  /** See {@code Dataflow.sizes}. */
  public BatchSizes sizes(Dataset<Row> batch) {
    Map<String, BatchSize> found = new HashMap<>();
    Configuration conf = session.sessionState().newHadoopConf();
    BatchCounts.of(batch, conf).forEach((tag, size) -> {
      if (sources.containsKey(tag)) {
        found.put(sources.get(tag).source.name(), size);
      }
    });
    return new BatchSizes(found);
  }

  /** The commits that a barrier builds on. What the last one left is forgotten until this ends. */
  private Map<String, List<CommitRef>> base(BarrierRequest request) {
    Left last = left;
    left = null;
    if (request.after() == null) {
      return request.base();
    }
    if (last == null || last.epoch() != request.after()) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "epoch " + request.epoch() + " is to build on what epoch " + request.after()
              + " left, and "
              + (last == null ? "none has run" : "epoch " + last.epoch() + " ran last")
              + "; start the query again");
    }
    return last.commits();
  }

  /** Operators without readers, and indexes, pull everything else. */
  private void runJob(List<RDD<InternalRow>> results) {
    if (results.isEmpty()) {
      return;
    }
    SparkContext context = session.sparkContext();
    RDD<InternalRow> union = context.union(Scala.seq(results), Scala.classTag(InternalRow.class));
    List<Integer> parts = results.stream().map(RDD::getNumPartitions).toList();
    RDD<InternalRow> all = tasks > 0
        ? GroupedRdd.of(union, tasks)
        : GroupedRdd.ofUnion(union, parts, context.defaultParallelism());
    Catalyst.withConfPropagated(session, () -> {
      Jobs.drain(all, TaskPacks::publish);
      return null;
    });
  }

  /** Spark wraps what a task threw; an operator's own message is what people need to see. */
  private static Exception causeOf(Exception e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof OperatorException named) {
        return named.asEngineException();
      }
    }
    return e;
  }

  /** See {@code Dataflow.rescale}. */
  public RescaleResult rescale(RescaleRequest request) {
    try {
      return new Rescaling(session, root, nodes, request).run();
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      throw Scala.unchecked(causeOf(e));
    }
  }

  /** Makes commits durable that are ahead of storage. */
  public void persist(Map<String, List<PendingCommit>> commits) {
    try {
      new PendingCommits(session, root, commits).persist();
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      throw Scala.unchecked(e);
    }
  }

  /** Gives commits up that are ahead of storage. */
  public void forget(Map<String, List<PendingCommit>> commits) {
    new PendingCommits(session, root, commits).release();
  }

  /** The packs of its states. */
  public EpochPacks packs() {
    return StoreRegistry.packsOf(root, conf);
  }

  /** See {@code Dataflow.retire}. */
  public void retire(RetireRequest request, Ownership ownership) {
    List<Retiring.Partition> partitions = new ArrayList<>();
    request.needed().forEach((state, needed) -> {
      List<CommitRef> oldest = Commits.of(request.oldest(), state, needed.size());
      List<CommitRef> before = oldest == null ? Commits.none(needed.size()) : oldest;
      for (int partition = 0; partition < needed.size(); partition++) {
        long version = needed.get(partition).version();
        if (version > 1) {
          String folder = StoreRegistry.folder(root, state) + "/" + partition;
          partitions.add(new Retiring.Partition(folder, version, before.get(partition).version()));
        }
      }
    });
    EpochPackRetention.Bounds bounds =
        new EpochPackRetention.Bounds(request.oldestEpoch(), request.wholeEpoch());
    retiring.begin(request.epoch(), partitions,
        claim -> packs.retire(request, bounds, claim), ownership::check);
  }

  /** Closes the stores that this process has open for it; beside another one only its own. */
  public void close() {
    retiring.close();
    if (tasks == 0) {
      StoreRegistry.close(root);
      return;
    }
    for (Node node : nodes) {
      if (node instanceof Nodes.OperatorNode operator && operator.state() != null) {
        StoreRegistry.close(StoreRegistry.folder(root, operator.state()));
      }
    }
  }

  public String text() {
    StringBuilder result = new StringBuilder();
    nodes.forEach(node -> result.append(node.describe()).append('\n'));
    return result.toString();
  }
}
