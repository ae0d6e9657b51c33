package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.dataflow.SparkTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupedRddTest extends SparkTest {
  @ParameterizedTest
  @CsvSource({"7, 3", "7, 1", "8, 4", "5, 4"})
  void everyPartitionIsInOneGroupAndInOrder(int partitions, int most) {
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      rows.add(new GenericInternalRow(new Object[] {i}));
    }
    RDD<InternalRow> grouped = GroupedRdd.of(Catalyst.parallelize(spark, rows, partitions), most);
    assertEquals(most, grouped.getNumPartitions());
    List<Integer> seen = new ArrayList<>();
    Arrays.stream((Object[]) grouped.collect())
        .forEach(row -> seen.add(((InternalRow) row).getInt(0)));
    assertEquals(rows.stream().map(row -> row.getInt(0)).toList(), seen);
    int parents = 0;
    for (int group = 0; group < most; group++) {
      parents += Scala
                     .list(((org.apache.spark.NarrowDependency<?>) grouped.dependencies().head())
                             .getParents(group))
                     .size();
    }
    assertEquals(partitions, parents);
  }

  @ParameterizedTest
  @CsvSource({"2, 2", "2, 3"})
  void fewPartitionsStay(int partitions, int most) {
    RDD<InternalRow> rows = Catalyst.parallelize(spark, List.of(), partitions);
    assertSame(rows, GroupedRdd.of(rows, most));
  }

  @Test
  void membersThatAreSpreadShareTasks() {
    assertEquals(List.of(List.of(0, 2, 4), List.of(1, 3, 5)), anywhere(List.of(2, 2, 2), 2));
    assertEquals(List.of(List.of(0, 4), List.of(1, 5), List.of(2, 6), List.of(3)),
        anywhere(List.of(4, 3), 4));
  }

  @Test
  void whatCannotBeSpreadOrIsInManyPartsKeepsItsTasks() {
    assertEquals(
        List.of(List.of(0), List.of(3), List.of(1), List.of(2)), anywhere(List.of(1, 2, 1), 2));
    assertEquals(List.of(List.of(0), List.of(1), List.of(2)), anywhere(List.of(3), 2));
  }

  @Test
  void manyThatCannotBeSpreadShareTwiceAsManyTasksAsThereAreCores() {
    assertEquals(List.of(List.of(0, 4), List.of(1, 5), List.of(2), List.of(3)),
        anywhere(List.of(1, 1, 1, 1, 1, 1), 2));
    assertEquals(List.of(List.of(0), List.of(1), List.of(4), List.of(5), List.of(2), List.of(3)),
        anywhere(List.of(1, 1, 2, 1, 1), 2));
  }

  @Test
  void aUnionInFewerTasksHasTheSameRows() {
    List<RDD<InternalRow>> members = new ArrayList<>();
    List<Integer> parts = List.of(2, 1, 2, 2);
    for (int member = 0; member < parts.size(); member++) {
      List<InternalRow> rows = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        rows.add(new GenericInternalRow(new Object[] {10 * member + i}));
      }
      members.add(Catalyst.parallelize(spark, rows, parts.get(member)));
    }
    RDD<InternalRow> union = spark.union(Scala.seq(members), Scala.classTag(InternalRow.class));
    RDD<InternalRow> grouped = GroupedRdd.ofUnion(union, parts, 2);
    assertEquals(3, grouped.getNumPartitions());
    assertEquals(numbers(union), numbers(grouped));
    assertSame(union, GroupedRdd.ofUnion(union, parts, 1));
  }

  private static List<List<Integer>> anywhere(List<Integer> parts, int cores) {
    int partitions = parts.stream().mapToInt(Integer::intValue).sum();
    return GroupedRdd.sideBySide(parts, Collections.nCopies(partitions, ""), cores);
  }

  @Test
  void noTaskDoesWhatBelongsToTwoExecutors() {
    assertEquals(List.of(List.of(0, 2, 4), List.of(6), List.of(1, 3, 5)),
        GroupedRdd.sideBySide(List.of(2, 2, 2, 1), List.of("a", "b", "a", "b", "a", "b", "a"), 2)
            .stream()
            .sorted(Comparator.comparing(task -> task.get(0) == 6 ? 0.5 : task.get(0)))
            .toList());
    assertEquals(List.of(List.of(0, 4), List.of(1, 5), List.of(2, 6), List.of(3, 7)),
        GroupedRdd.sideBySide(List.of(4, 4), List.of("a", "a", "b", "b", "a", "a", "b", "b"), 4));
  }

  private static Set<Integer> numbers(RDD<InternalRow> rows) {
    Set<Integer> numbers = new TreeSet<>();
    Arrays.stream((Object[]) rows.collect())
        .forEach(row -> assertTrue(numbers.add(((InternalRow) row).getInt(0))));
    return numbers;
  }
}
