package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.dataflow.SparkTest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import org.apache.spark.util.AccumulatorContext;
import org.junit.jupiter.api.Test;
import scala.Option;

class PooledTest extends SparkTest {
  private static ArrayList<Integer> value() {
    return new ArrayList<>(List.of(1, 2));
  }

  /** As a task gets it. */
  @SuppressWarnings("unchecked")
  private static <T extends java.io.Serializable> Pooled<T> sent(Pooled<T> lent)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(lent);
    }
    try (ObjectInputStream in =
             new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (Pooled<T>) in.readObject();
    }
  }

  private static TaskContextImpl task() {
    return TaskContext$.MODULE$.empty();
  }

  private static void end(TaskContextImpl task) {
    task.markTaskCompleted(Option.empty());
  }

  @Test
  void aTaskHasOneCopyAndTheNextTaskTakesItOver() throws Exception {
    ArrayList<Integer> value = value();
    Pooled<ArrayList<Integer>> lent = Pooled.of(spark, value);
    TaskContextImpl first = task();
    Pooled<ArrayList<Integer>> mine = sent(lent);
    ArrayList<Integer> copy = mine.get(first);
    assertNotSame(value, copy);
    assertEquals(value, copy);
    assertSame(copy, mine.get(first));
    end(first);
    assertSame(copy, sent(lent).get(task()));
  }

  @Test
  void twoTasksAtATimeHaveACopyEach() throws Exception {
    Pooled<ArrayList<Integer>> lent = Pooled.of(spark, value());
    ArrayList<Integer> one = sent(lent).get(task());
    ArrayList<Integer> other = sent(lent).get(task());
    assertNotSame(one, other);
    assertEquals(one, other);
  }

  @Test
  void aTaskThatFailsOrIsEndedKeepsItsCopy() throws Exception {
    Pooled<ArrayList<Integer>> lent = Pooled.of(spark, value());
    TaskContextImpl failed = task();
    ArrayList<Integer> broken = sent(lent).get(failed);
    failed.markTaskFailed(new IllegalStateException("as wanted"));
    failed.markTaskCompleted(Option.apply(new IllegalStateException("as wanted")));
    TaskContextImpl killed = task();
    ArrayList<Integer> next = sent(lent).get(killed);
    assertNotSame(broken, next);
    killed.markInterrupted("as wanted");
    end(killed);
    assertNotSame(next, sent(lent).get(task()));
  }

  @Test
  void whatItCountsWithLivesAsLongAsIt() throws Exception {
    SQLMetric count = SQLMetrics.createMetric(spark, "rows");
    long id = count.id();
    Pooled<SQLMetric> lent = Pooled.of(spark, count);
    count = null;
    System.gc();
    assertTrue(AccumulatorContext.get(id).isDefined());
    assertEquals(id, sent(lent).get(task()).id());
  }

  @Test
  void copiesAreUsedAgainOnlyOfWhatHasNotChanged() throws Exception {
    ArrayList<Integer> value = value();
    Pooled<ArrayList<Integer>> lent = Pooled.of(spark, value);
    assertSame(lent, lent.as(spark, value()));
    TaskContextImpl first = task();
    sent(lent).get(first);
    end(first);
    value.add(3);
    Pooled<ArrayList<Integer>> changed = lent.as(spark, value);
    assertNotSame(lent, changed);
    assertEquals(List.of(1, 2, 3), sent(changed).get(task()));
    assertEquals(List.of(1, 2), sent(lent).get(task()));
  }
}
