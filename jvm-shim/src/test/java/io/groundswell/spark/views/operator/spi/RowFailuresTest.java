package io.groundswell.spark.views.operator.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class RowFailuresTest {
  @Test
  void anErrorIsOneLineWithoutThePlaceInTheQuery() {
    Exception e = new ArithmeticException("[X] by\n zero.\n== SQL (line 1) ==\nSELECT 1 / 0\n");
    assertEquals("[X] by zero.", RowFailures.text(e));
    assertEquals("java.lang.IllegalStateException", RowFailures.text(new IllegalStateException()));
    assertEquals(1003, RowFailures.text(new IllegalStateException("x".repeat(5000))).length());
  }

  @Test
  void aRowIsShownWithItsNulls() {
    List<Column> columns = List.of(new Column("a1", "id", DataTypes.LongType, false),
        new Column("a2", "name", DataTypes.StringType, true));
    Expression shown = RowFailures.shown(List.of("name", "number"), columns, new int[] {1, 0});
    assertEquals("{\"name\":\"x\",\"number\":3}",
        RowFailures.show(
            shown, new GenericInternalRow(new Object[] {3L, UTF8String.fromString("x")})));
    assertEquals("{\"name\":null,\"number\":3}",
        RowFailures.show(shown, new GenericInternalRow(new Object[] {3L, null})));
  }
}
