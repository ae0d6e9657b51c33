package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.SharedBlocks;
import io.groundswell.spark.views.dataflow.SparkTest;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class PackedRowsTest extends SparkTest {
  private static final DataType[] TYPES = {DataTypes.StringType, DataTypes.IntegerType};
  private static InternalRow row(String text, int number) {
    return new GenericInternalRow(new Object[] {UTF8String.fromString(text), number});
  }

  private static List<String> texts(Iterator<InternalRow> rows) {
    List<String> result = new ArrayList<>();
    rows.forEachRemaining(row -> result.add(row.getString(0) + " " + row.getInt(1)));
    return result;
  }

  @Test
  void rowsAreReadAsOftenAsTheyAreWantedAndMadeOnce() {
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      rows.add(row("row", i));
    }
    PackedRows packed = new PackedRows(Catalyst.parallelize(spark, rows, 3), List.of(TYPES));
    for (int time = 0; time < 2; time++) {
      List<Integer> seen = new ArrayList<>();
      RDD<InternalRow> numbers = packed.rows();
      assertEquals(3, numbers.getNumPartitions());
      for (Object row : (Object[]) numbers
               .map(new Number(), io.groundswell.spark.shims.Scala.classTag(Integer.class))
               .collect()) {
        seen.add((Integer) row);
      }
      assertEquals(List.of(0, 1, 2, 3, 4), seen);
    }
    packed.end();
  }

  @Test
  void rowsBeyondTheBudgetAreReadFromTheLocalDisk() {
    EngineServices.configureShared(0, 1, 1 << 20); // half of it for exchanges
    try {
      long before = SharedBlocks.memoryUsed();
      UnsafeProjection unsafe = UnsafeProjection.create(new DataType[] {DataTypes.LongType});
      List<InternalRow> rows = new ArrayList<>();
      for (long i = 0; i < 100_000; i++) {
        rows.add(unsafe.apply(new GenericInternalRow(new Object[] {i})).copy());
      }
      PackedRows packed =
          new PackedRows(Catalyst.parallelize(spark, rows, 2), List.of(DataTypes.LongType));
      for (int time = 0; time < 2; time++) {
        assertEquals(100_000, packed.rows().count());
      }
      long held = SharedBlocks.memoryUsed() - before;
      assertTrue(held < 1 << 20, held + " bytes of 2,400,000 in memory");
      packed.end();
    } finally {
      EngineServices.closeShared();
    }
  }

  /** Of rows, which are good until the next one only. */
  private static final class Number extends scala.runtime.AbstractFunction1<InternalRow, Integer>
      implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer apply(InternalRow row) {
      return row.getInt(1);
    }
  }

  @Test
  void pagesEndWithTheRowThatReachesTheirSize() {
    String half = "x".repeat(PackedRows.PAGE / 2);
    String large = "y".repeat(3 * PackedRows.PAGE);
    List<InternalRow> rows =
        List.of(row(half, 0), row(half, 1), row(half, 2), row(large, 3), row("", 4));
    List<byte[]> pages = new ArrayList<>();
    new PackedRows.Pages(rows.iterator(), TYPES, new Projections()).forEachRemaining(pages::add);
    assertEquals(3, pages.size());
    assertTrue(pages.get(1).length > 3 * PackedRows.PAGE);
    assertEquals(texts(rows.iterator()), texts(PackedRows.unpack(pages.iterator(), TYPES.length)));
  }

  @Test
  void rowsThatAreReusedWhileTheyAreReadAreCopied() {
    UnsafeProjection reused = UnsafeProjection.create(TYPES);
    List<InternalRow> rows = List.of(row("a", 1), row("longer than a word", 2), row("c", 3));
    Iterator<InternalRow> unsafe =
        rows.stream().map(row -> (InternalRow) reused.apply(row)).iterator();
    List<byte[]> pages = new ArrayList<>();
    new PackedRows.Pages(unsafe, TYPES, new Projections()).forEachRemaining(pages::add);
    assertEquals(List.of("a 1", "longer than a word 2", "c 3"),
        texts(PackedRows.unpack(pages.iterator(), TYPES.length)));
  }

  @Test
  void noRowsAreNoPages() {
    assertFalse(
        new PackedRows.Pages(Collections.emptyIterator(), TYPES, new Projections()).hasNext());
    assertFalse(PackedRows.unpack(Collections.emptyIterator(), 1).hasNext());
    assertFalse(PackedRows.unpack(Arrays.asList(new byte[0]).iterator(), 1).hasNext());
  }
}
