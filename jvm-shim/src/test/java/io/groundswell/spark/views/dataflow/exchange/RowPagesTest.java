package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.shims.SharedBlocks;
import io.groundswell.spark.views.dataflow.SparkTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowPagesTest extends SparkTest {
  /** Allows so many bytes, and counts the blocks that it named. */
  private static final class Limit implements RowPages.Budget {
    private long left;
    private final long group = SharedBlocks.newGroup();
    private int blocks;

    Limit(long left) {
      this.left = left;
    }

    @Override
    public boolean take(long bytes) {
      if (bytes > left) {
        return false;
      }
      left -= bytes;
      return true;
    }

    @Override
    public String newBlock() {
      return "pages" + blocks++;
    }

    @Override
    public long blocks() {
      return group;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100_000, Long.MAX_VALUE})
  void rowsComeBackInOrderWhereverTheyAreKept(long budget) {
    long seed = System.nanoTime();
    System.out.println("RowPagesTest: seed " + seed);
    Random random = new Random(seed);
    UnsafeProjection unsafe =
        UnsafeProjection.create(new DataType[] {DataTypes.LongType, DataTypes.StringType});
    Limit limit = new Limit(budget);
    RowPages pages = new RowPages(limit);
    List<String> expected = new ArrayList<>();
    for (long i = 0; i < 3000; i++) {
      String text = "x".repeat(i == 700 ? 600_000 : random.nextInt(300));
      expected.add(i + text);
      pages.add(
          unsafe.apply(new GenericInternalRow(new Object[] {i, UTF8String.fromString(text)})));
    }
    pages.finish();
    assertEquals(3000, pages.rows());
    assertEquals(budget < Long.MAX_VALUE, limit.blocks > 0);
    for (int time = 0; time < 2; time++) {
      List<String> found = new ArrayList<>();
      Iterator<InternalRow> rows = pages.read(2);
      rows.forEachRemaining(row -> found.add(row.getLong(0) + row.getString(1)));
      assertEquals(expected, found);
    }
    SharedBlocks.removeGroup(limit.group);
    for (int block = 0; block < limit.blocks; block++) {
      int number = block; // Spark removes blocks in the background
      assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
        while (SharedBlocks.of(limit.group, "pages" + number, 1) != null) {
          Thread.sleep(5);
        }
      });
    }
  }

  @Test
  void theLastAttemptAtATaskCounts() {
    UnsafeProjection unsafe = UnsafeProjection.create(new DataType[] {DataTypes.LongType});
    ShuffledRows dealt = ShuffledRows.open(2, 1);
    assertTrue(dealt.isEmpty());
    for (long attempt = 1; attempt <= 2; attempt++) {
      List<RowPages> pages = dealt.newPages();
      pages.get(0).add(unsafe.apply(new GenericInternalRow(new Object[] {attempt})));
      dealt.publish(1, pages);
    }
    assertFalse(dealt.isEmpty());
    Iterator<InternalRow> rows = ShuffledRows.of(dealt.id()).rows(0, 1);
    assertEquals(2, rows.next().getLong(0));
    assertFalse(rows.hasNext());
    dealt.close();
  }

  @Test
  void aTaskThatOutlivesItsBarrierHoldsNothing() {
    ShuffledRows dealt = ShuffledRows.open(1, 1);
    assertTrue(dealt.take(1));
    dealt.close();
    assertThrows(TaskKilledException.class, () -> dealt.take(1 << 20));
    ShuffledRows next = ShuffledRows.open(1, 1);
    assertTrue(next.take(EngineServices.shared().exchanged().total()));
    assertFalse(next.take(1));
    next.close();
  }
}
