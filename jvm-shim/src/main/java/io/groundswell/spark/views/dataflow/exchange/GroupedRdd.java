package io.groundswell.spark.views.dataflow.exchange;

import static java.util.stream.Collectors.toCollection;

import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
   * costs as much to send as to run. No task does what belongs to different executors.
   *
   * @param parts of how many partitions its members have
   */
  public static RDD<InternalRow> ofUnion(RDD<InternalRow> union, List<Integer> parts, int cores) {
    int partitions = parts.stream().mapToInt(Integer::intValue).sum();
    if (union.getNumPartitions() != partitions) {
      return union;
    }
    List<String> places =
        Arrays.stream(union.partitions()).map(split -> placeOf(union, split)).toList();
    List<List<Integer>> groups = sideBySide(parts, places, cores);
    return groups.size() < partitions ? new GroupedRdd(union, groups) : union;
  }

  /** Where Spark should work on a partition; empty: anywhere. */
  private static String placeOf(RDD<InternalRow> rows, Partition split) {
    Seq<String> places = rows.preferredLocations(split);
    return places.isEmpty() ? "" : places.head();
  }

  /**
   * Which partitions a task does. Members that are spread over the cores are dealt out in turn;
   * what has one partition, or more than there are cores, keeps its own tasks, as they may differ
   * much. But a task is sent with what all of them do: of many with one partition, such as chains
   * over one source, twice as many as there are cores are left, so that they can still be evened.
   *
   * @param places of all partitions
   * @param cores of all places
   */
  static List<List<Integer>> sideBySide(List<Integer> parts, List<String> places, int cores) {
    Map<String, Tasks> tasks = new LinkedHashMap<>();
    int each = Math.max(1, cores / (int) Math.max(1, places.stream().distinct().count()));
    int next = 0;
    for (int many : parts) {
      for (int i = 0; i < many; i++, next++) {
        Tasks here = tasks.computeIfAbsent(places.get(next), place -> new Tasks(each));
        if (many > cores) {
          here.own.add(List.of(next));
        } else {
          (many == 1 ? here.single : here.shared).add(next);
        }
      }
    }
    return tasks.values().stream().flatMap(Tasks::all).toList();
  }

  /** The tasks of one place. */
  private static final class Tasks {
    final Turns single;
    final List<List<Integer>> own = new ArrayList<>();
    final Turns shared;

    Tasks(int cores) {
      single = new Turns(2 * cores);
      shared = new Turns(cores);
    }

    Stream<List<Integer>> all() {
      return Stream.of(single.tasks, own, shared.tasks).flatMap(List::stream);
    }
  }

  /** So many tasks at most, which get what there is to do in turn. */
  private static final class Turns {
    final List<List<Integer>> tasks = new ArrayList<>();
    private final int most;
    private int turn;

    Turns(int most) {
      this.most = most;
    }

    void add(int partition) {
      if (tasks.size() < most) {
        tasks.add(new ArrayList<>());
      }
      tasks.get(turn++ % most).add(partition);
    }
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    for (Partition partition : ((Group) split).partitions()) {
      Seq<String> places = parent().preferredLocations(partition);
      if (!places.isEmpty()) {
        return places;
      }
    }
    return Scala.seq(List.of());
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
