package io.groundswell.spark.views.dataflow.run;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.barrier.SnapshotPart;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.dataflow.exchange.OperatorRdd;
import io.groundswell.spark.views.dataflow.exchange.Pooled;
import io.groundswell.spark.views.dataflow.source.SourceReading;
import io.groundswell.spark.views.dataflow.state.Commits;
import io.groundswell.spark.views.dataflow.state.SnapshotRdd;
import io.groundswell.spark.views.dataflow.state.SnapshotRows;
import io.groundswell.spark.views.dataflow.state.StoreRegistry;
import io.groundswell.spark.views.operator.recursion.LevelOperator;
import io.groundswell.spark.views.operator.spi.EventTimeOperator;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.view.TablePart;
import io.groundswell.storage.FastPath;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.util.SerializableConfiguration;

/** The kinds of operators. */
public final class Nodes {
  private Nodes() {}

  /** A source's rows as inserts. */
  public static final class SourceNode extends Node {
    public final SourceReading source;

    public SourceNode(int id, SourceReading source, List<DataType> types) {
      super(id,
          id + " (" + (source.late() ? "late rows of " : "") + "source " + source.name() + ")",
          types, new UnknownPartitioning(0));
      this.source = source;
    }

    /** The barrier keeps a source's rows itself: several operators may stand for one source. */
    @Override
    boolean cheap() {
      return true;
    }

    @Override
    RDD<InternalRow> rows(Barrier barrier) {
      return barrier.source(source.tag(), source.late());
    }
  }

  /**
   * All rows that a view's or a source's state has at the base, as inserts; or the part of them, or
   * the changes since an older commit, that the barrier asks for.
   */
  public static final class SnapshotNode extends Node {
    private final String root;
    private final String state;
    private final SnapshotRows reader;
    private final Broadcast<SerializableConfiguration> conf;

    public SnapshotNode(int id, String root, String state, SnapshotRows reader,
        Broadcast<SerializableConfiguration> conf, List<DataType> types) {
      super(id, id + " (snapshot of " + state + ")", types, new UnknownPartitioning(0));
      this.root = root;
      this.state = state;
      this.reader = reader;
      this.conf = conf;
    }

    @Override
    RDD<InternalRow> rows(Barrier barrier) {
      List<CommitRef> commits = barrier.base(state);
      if (commits == null || barrier.isRound()) {
        return null;
      }
      SnapshotPart part = barrier.part();
      List<CommitRef> since = part == null ? null : part.since().get(state);
      SnapshotRows wanted = part == null || since != null
          ? reader
          : reader.of(new TablePart(part.number(), part.count()));
      RDD<InternalRow> rows = new SnapshotRdd(barrier.context(), StoreRegistry.folder(root, state),
          commits, since, wanted, conf, barrier.places(state, commits.size()));
      return barrier.tasks(rows);
    }
  }

  /** A stateless chain that several operators read, or one that needs no exchange. */
  public static final class StatelessNode extends Node {
    private final Input input;

    public StatelessNode(int id, Input input, List<DataType> types) {
      super(id, id + " (stateless)", types, input.partitioning());
      this.input = input;
    }

    @Override
    boolean isSpread() {
      return input.isSpread();
    }

    @Override
    RDD<InternalRow> rows(Barrier barrier) {
      return input.rows(barrier);
    }

    @Override
    public String describe() {
      return super.describe() + input.describe();
    }
  }

  /** Rows of all inputs. */
  public static final class UnionNode extends Node {
    private final List<Node> inputs;

    public UnionNode(int id, List<Node> inputs, List<DataType> types) {
      super(id, id + " (union)", types, new UnknownPartitioning(0));
      this.inputs = inputs;
    }

    @Override
    boolean isSpread() {
      return inputs.stream().allMatch(Node::isSpread);
    }

    @Override
    RDD<InternalRow> rows(Barrier barrier) {
      List<RDD<InternalRow>> present =
          inputs.stream().map(barrier::rows).filter(Objects::nonNull).toList();
      if (present.size() < 2) {
        return present.isEmpty() ? null : present.get(0);
      }
      return present.get(0).context().union(Scala.seq(present), Scala.classTag(InternalRow.class));
    }
  }

  /** A row operator, with state or without. */
  public static final class OperatorNode extends Node {
    /** An epoch has fewer rounds than this power of two. */
    private static final int ROUNDS_BITS = 20;

    /** Null if it has no state. */
    final String state;

    private final boolean anew;

    /** Whether it runs several times a barrier, being within a recursion. */
    private final boolean repeats;

    /** The state of another operator that it reads, as of the base; null: none. */
    private final String reads;

    public final int partitions;
    private final OperatorName name;
    private final RowOperator operator;
    private Pooled<RowOperator> sent;
    private final List<Input> inputs;
    private final String root;
    private final Broadcast<SerializableConfiguration> conf;

    public OperatorNode(int id, OperatorName name, RowOperator operator, List<Input> inputs,
        String root, String state, boolean anew, boolean repeats, String reads, int partitions,
        Broadcast<SerializableConfiguration> conf, List<DataType> types,
        Partitioning partitioning) {
      super(id, name.label(), types, partitioning);
      this.name = name;
      this.operator = operator;
      this.inputs = inputs;
      this.root = root;
      this.state = state;
      this.anew = anew;
      this.repeats = repeats;
      this.reads = reads;
      this.partitions = partitions;
      this.conf = conf;
    }

    /** What it does on each of its partitions. */
    public RowOperator operator() {
      return operator;
    }

    /** Its state's name; null if it has none. */
    public String state() {
      return state;
    }

    @Override
    boolean isSpread() {
      return inputs.stream().allMatch(Input::isSpread);
    }

    @Override
    RDD<InternalRow> rows(Barrier barrier) {
      String opened = state == null ? reads : state;
      List<CommitRef> base = opened == null ? null : barrier.base(opened, partitions);
      boolean runEmpty = state != null
          && (runsEmpty(barrier, base == null)
              || !barrier.isRound() && !FastPath.IDLE_OPERATOR.isOpen());
      if (reads != null && barrier.rows(inputs.get(0).from()) == null) {
        return null;
      }
      List<RDD<InternalRow>> rows = inputs.stream().map(input -> input.rows(barrier)).toList();
      if (!runEmpty && rows.stream().allMatch(Objects::isNull)) {
        return null;
      }
      sent = sent == null ? Pooled.of(barrier.context(), operator)
                          : sent.as(barrier.context(), operator);
      OperatorTask task = new OperatorTask(id, name, sent,
          opened == null ? null : StoreRegistry.folder(root, opened), anew,
          firstVersion(barrier.epoch),
          opened == null || base != null ? base : Commits.none(partitions), runEmpty, barrier.epoch,
          barrier.commits, barrier.number, barrier.merged(opened), conf, barrier.reports);
      return new OperatorRdd(
          rows.stream().map(r -> r == null ? barrier.nothing(partitions) : r).toList(), task,
          opened == null ? List.of() : barrier.places(opened, partitions));
    }

    /** An error of the operator that no task has met. */
    OperatorException failed(String what) {
      return new OperatorException(new EngineException(
          ErrorCode.OPERATOR_FAILED, name.place(), "operator " + name.label() + ": " + what, null));
    }

    private boolean runsEmpty(Barrier barrier, boolean begins) {
      if (barrier.isRound()) { // it has run in this barrier, but for what the round is there for
        return operator instanceof LevelOperator;
      }
      boolean due =
          operator instanceof EventTimeOperator timed && timed.prepare(barrier.watermarks);
      return operator.alwaysRuns() || (begins ? operator.needsEmptyRun() : due);
    }

    /**
     * Where a state begins: above all that an earlier one of its name had, which may be retained
     * still. A partition is written once in an epoch at most, or once in each round of one.
     */
    private long firstVersion(long epoch) {
      return repeats ? (epoch + 1) << ROUNDS_BITS : epoch + 1;
    }

    @Override
    public String describe() {
      return super.describe() + (state == null ? "" : ", state " + state)
          + (reads == null ? "" : ", reads " + reads)
          + inputs.stream().map(Input::describe).collect(Collectors.joining());
    }
  }
}
