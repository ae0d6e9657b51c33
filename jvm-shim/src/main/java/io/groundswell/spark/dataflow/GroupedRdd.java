package io.groundswell.spark.dataflow;

import io.groundswell.spark.compat.Scala;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Neighbouring partitions as one, so that a task does several of them, one after the other. States
 * have as many partitions as they will ever need; how many tasks a barrier has follows the cores.
 */
final class GroupedRdd extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

  /** The partitions of a group, from one to below another. */
  private record Range(int from, int to) implements Serializable {
    static Range of(int group, int groups, int partitions) {
      return new Range((int) ((long) group * partitions / groups),
          (int) ((long) (group + 1) * partitions / groups));
    }
  }

  private record Group(int index, Partition[] partitions) implements Partition {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean equals(Object other) {
      return other instanceof Group group && group.index == index;
    }

    @Override
    public int hashCode() {
      return index;
    }
  }

  /** What a group needs of its parent. */
  private static final class Neighbours extends NarrowDependency<InternalRow> {
    private static final long serialVersionUID = 1L;

    private final int groups;
    private final int partitions;

    Neighbours(RDD<InternalRow> parent, int groups) {
      super(parent);
      this.groups = groups;
      this.partitions = parent.getNumPartitions();
    }

    @Override
    public Seq<Object> getParents(int group) {
      Range range = Range.of(group, groups, partitions);
      List<Object> parents = new ArrayList<>();
      for (int partition = range.from(); partition < range.to(); partition++) {
        parents.add(partition);
      }
      return Scala.seq(parents);
    }
  }

  private final int groups;

  private GroupedRdd(RDD<InternalRow> parent, int groups) {
    super(parent.context(), Scala.seq(List.of(new Neighbours(parent, groups))),
        Scala.classTag(InternalRow.class));
    this.groups = groups;
  }

  /** The rows in so many partitions at most. */
  static RDD<InternalRow> of(RDD<InternalRow> rows, int most) {
    return rows.getNumPartitions() <= most ? rows : new GroupedRdd(rows, most);
  }

  @Override
  public Partition[] getPartitions() {
    Partition[] parents = parent().partitions();
    Partition[] result = new Partition[groups];
    for (int group = 0; group < groups; group++) {
      Range range = Range.of(group, groups, parents.length);
      result[group] = new Group(group, Arrays.copyOfRange(parents, range.from(), range.to()));
    }
    return result;
  }

  @Override
  public scala.collection.Iterator<InternalRow> compute(Partition split, TaskContext context) {
    return CollectionConverters.asScala(new Chained(((Group) split).partitions(), context));
  }

  @SuppressWarnings("unchecked")
  private RDD<InternalRow> parent() {
    return (RDD<InternalRow>) dependencies().apply(0).rdd();
  }

  /** One partition's rows after the other's; a partition begins when the one before has ended. */
  private final class Chained implements Iterator<InternalRow> {
    private final Partition[] partitions;
    private final TaskContext context;
    private Iterator<InternalRow> rows = Collections.emptyIterator();
    private int next;

    Chained(Partition[] partitions, TaskContext context) {
      this.partitions = partitions;
      this.context = context;
    }

    @Override
    public boolean hasNext() {
      while (!rows.hasNext()) {
        if (next == partitions.length) {
          return false;
        }
        rows = CollectionConverters.asJava(parent().iterator(partitions[next++], context));
      }
      return true;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return rows.next();
    }
  }
}
