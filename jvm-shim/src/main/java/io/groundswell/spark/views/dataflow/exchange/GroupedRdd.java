package io.groundswell.spark.views.dataflow.exchange;

import static java.util.stream.Collectors.toCollection;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Several partitions as one, so that a task does one after the other. States have as many
 * partitions as they will ever need; how many tasks a barrier has follows the cores.
 */
public final class GroupedRdd extends RDD<InternalRow> {
  private static final long serialVersionUID = 1L;

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
  private static final class Members extends NarrowDependency<InternalRow> {
    private static final long serialVersionUID = 1L;

    private final List<List<Integer>> groups;

    Members(RDD<InternalRow> parent, List<List<Integer>> groups) {
      super(parent);
      this.groups = groups;
    }

    @Override
    public Seq<Object> getParents(int group) {
      return Scala.seq(List.<Object>copyOf(groups.get(group)));
    }
  }

  private final List<List<Integer>> groups;

  private GroupedRdd(RDD<InternalRow> parent, List<List<Integer>> groups) {
    super(parent.context(), Scala.seq(List.of(new Members(parent, groups))),
        Scala.classTag(InternalRow.class));
    this.groups = groups;
  }

  /** The rows in so many partitions at most, neighbours together. */
  public static RDD<InternalRow> of(RDD<InternalRow> rows, int most) {
    int partitions = rows.getNumPartitions();
    return partitions <= most ? rows : new GroupedRdd(rows, neighbours(partitions, most));
  }

  private static List<List<Integer>> neighbours(int partitions, int groups) {
    List<List<Integer>> all = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      int from = (int) ((long) group * partitions / groups);
      int to = (int) ((long) (group + 1) * partitions / groups);
      all.add(IntStream.range(from, to).boxed().collect(toCollection(ArrayList::new)));
    }
    return all;
  }

  /**
   * The rows of a union in fewer tasks: those of one step of a barrier are many and short, and each
   * costs as much to send as to run.
   *
   * @param parts of how many partitions its members have
   */
  public static RDD<InternalRow> ofUnion(RDD<InternalRow> union, List<Integer> parts, int cores) {
    List<List<Integer>> groups = sideBySide(parts, cores);
    int partitions = parts.stream().mapToInt(Integer::intValue).sum();
    boolean helps = groups.size() < partitions && union.getNumPartitions() == partitions;
    return helps ? new GroupedRdd(union, groups) : union;
  }

  /**
   * Which partitions a task does. Members that are spread over the cores are dealt out in turn;
   * what has one partition, or more than there are cores, keeps its own tasks, as they may differ
   * much. But a task is sent with what all of them do: of many with one partition, such as chains
   * over one source, twice as many as there are cores are left, so that they can still be evened.
   */
  static List<List<Integer>> sideBySide(List<Integer> parts, int cores) {
    List<List<Integer>> own = new ArrayList<>();
    List<List<Integer>> shared = new ArrayList<>();
    List<List<Integer>> single = new ArrayList<>();
    int singles = 2 * cores;
    int next = 0;
    int turn = 0;
    int one = 0;
    for (int many : parts) {
      for (int i = 0; i < many; i++, next++) {
        if (many == 1 && single.size() < singles) {
          single.add(new ArrayList<>(List.of(next)));
        } else if (many == 1) {
          single.get(one++ % singles).add(next);
        } else if (many > cores) {
          own.add(new ArrayList<>(List.of(next)));
        } else if (shared.size() < cores) {
          shared.add(new ArrayList<>(List.of(next)));
        } else {
          shared.get(turn++ % cores).add(next);
        }
      }
    }
    single.addAll(own);
    single.addAll(shared);
    return single;
  }

  @Override
  public Partition[] getPartitions() {
    Partition[] parents = parent().partitions();
    Partition[] result = new Partition[groups.size()];
    for (int group = 0; group < result.length; group++) {
      result[group] = new Group(
          group, groups.get(group).stream().map(i -> parents[i]).toArray(Partition[] ::new));
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
