package io.groundswell.spark.store.encoding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.groundswell.engine.Slice;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class ValueListTest {
  @Test
  void valuesComeBackInTheOrderOfTheirAppends() {
    long seed = System.nanoTime();
    RandomRows rows = new RandomRows(seed);
    StructType schema = rows.schema(4);
    ValueList list = new ValueList();
    List<UnsafeRow> expected = new ArrayList<>();
    Slice stored = new Slice();
    for (int append = 0; append < 30; append++) {
      list.clear();
      if (append > 0) {
        list.load(stored);
      }
      UnsafeRow row = rows.row(schema);
      expected.add(row);
      list.add(row, append);
      // What is stored stands somewhere inside a larger array.
      byte[] block = new byte[list.length + 7];
      System.arraycopy(list.bytes, 0, block, 7, list.length);
      stored.set(block, 7, list.length);
    }
    ValueList.Rows back = new ValueList.Rows(stored, RowReader.plain(4));
    for (UnsafeRow row : expected) {
      assertArrayEquals(row.getBytes(), back.next().getBytes(), "seed " + seed);
    }
    assertFalse(back.hasNext());
    assertArrayEquals(expected.get(0).getBytes(),
        ValueList.first(stored, RowReader.plain(4)).getBytes(), "seed " + seed);
  }

  @Test
  void aHeadHoldsTheRowsOfItsListAndTheNumberOfSegments() {
    UnsafeRow row = new RandomRows(1).row(new RandomRows(1).schema(2));
    ValueList list = new ValueList();
    list.add(row, 3);
    Slice stored = new Slice();
    stored.set(list.copy(), 0, list.length);
    assertEquals(0, ValueList.segments(stored));
    ValueList head = new ValueList();
    for (int segments : new int[] {1, 70_000}) {
      head.loadHead(stored, segments); // first from a list, then from a head
      stored.set(head.copy(), 0, head.length);
      assertEquals(segments, ValueList.segments(stored));
      ValueList.Rows back = new ValueList.Rows(stored, RowReader.plain(2));
      assertArrayEquals(row.getBytes(), back.next().getBytes());
      assertFalse(back.hasNext());
    }
  }
}
