package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.engine.EngineServices;
import io.groundswell.error.FullHeap;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs a task on the partitions of equal number of its inputs. The partition's number is the
 * operator's own, whatever union or stage the RDD ends up in.
 */
public final class OperatorRdd extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

  /** What runs on a partition. */
  public interface PartitionTask extends java.io.Serializable {
    Iterator<InternalRow> run(
        int partition, List<Iterator<InternalRow>> inputs, TaskContext context);

    /** The error of an input that failed before it gave an iterator; some read all rows by then. */
    default RuntimeException failedBelow(Exception e, TaskContext context) {
      throw Scala.unchecked(e);
    }

    /** True if it has something to do though no input has rows. */
    default boolean runEmpty() {
      return false;
    }
  }

  private record Zipped(int index, Partition[] inputs) implements Partition {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean equals(Object other) {
      return other instanceof Zipped zipped && zipped.index == index;
    }

    @Override
    public int hashCode() {
      return index;
    }
  }

  private final int count;
  private final PartitionTask task;

  /** Where Spark should run it; only the driver asks. */
  private final transient List<String> places;

  public OperatorRdd(List<RDD<InternalRow>> inputs, PartitionTask task) {
    this(inputs, task, List.of());
  }

  /**
   * @param places by partition, see {@link Places}; none: Spark may choose
   */
  public OperatorRdd(List<RDD<InternalRow>> inputs, PartitionTask task, List<String> places) {
    super(inputs.get(0).context(), dependencies(inputs), Scala.classTag(InternalRow.class));
    this.count = inputs.size();
    this.task = task;
    this.places = places;
  }

  private static scala.collection.immutable.Seq<Dependency<?>> dependencies(
      List<RDD<InternalRow>> inputs) {
    List<Dependency<?>> result = new ArrayList<>();
    inputs.forEach(input -> result.add(new OneToOneDependency<>(input)));
    return Scala.seq(result);
  }

  /** As {@link PartitionTask#runEmpty}. */
  boolean runsEmpty() {
    return task.runEmpty();
  }

  @Override
  public Partition[] getPartitions() {
    Partition[] result = new Partition[input(0).partitions().length];
    for (int p = 0; p < result.length; p++) {
      Partition[] inputs = new Partition[count];
      for (int i = 0; i < count; i++) {
        if (input(i).partitions().length != result.length) {
          throw new IllegalStateException("inputs of one operator have " + result.length + " and "
              + input(i).partitions().length + " partitions");
        }
        inputs[i] = input(i).partitions()[p];
      }
      result[p] = new Zipped(p, inputs);
    }
    return result;
  }

  @Override
  public scala.collection.immutable.Seq<String> getPreferredLocations(Partition split) {
    return Scala.seq(places.isEmpty() ? List.of() : List.of(places.get(split.index())));
  }

  @Override
  public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
    Zipped zipped = (Zipped) split;
    try {
      return CollectionConverters.asScala(
          task.run(zipped.index(), inputs(zipped, context), context));
    } catch (Throwable e) { // Spark's are checked, and Scala does not say so
      OutOfMemoryError full = FullHeap.within(e);
      if (full == null) {
        throw e;
      }
      // Of what is no operator, for those name theirs.
      throw FullHeap.error(null, "rows on their way to an operator", full,
          Runtime.getRuntime().maxMemory(), EngineServices.shared().memoryText());
    }
  }

  private List<Iterator<InternalRow>> inputs(Zipped zipped, TaskContext context) {
    List<Iterator<InternalRow>> inputs = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        inputs.add(CollectionConverters.asJava(input(i).iterator(zipped.inputs()[i], context)));
      }
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      throw task.failedBelow(e, context);
    }
    return inputs;
  }

  @SuppressWarnings("unchecked")
  private RDD<InternalRow> input(int i) {
    return (RDD<InternalRow>) dependencies().apply(i).rdd();
  }
}
