package io.groundswell.spark.views.operator.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.Fixture;
import io.groundswell.spark.views.operator.aggregate.AggregateFixture;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class RowKeysTest {
  @Test
  void theHashIsTheOneThatSparkPlacesRowsBy() {
    List<Column> columns = Fixture.columns(
        "l", DataTypes.LongType, "s", DataTypes.StringType, "d", DataTypes.DoubleType);
    RowKeys keys = new RowKeys(new Projections(), columns, new int[] {2, 1, 0});
    Expression spark = partition(columns, 2, 1, 0);
    for (Object[] row : new Object[][] {{1L, UTF8String.fromString("abc"), 0.5}, {null, null, null},
             {7L, UTF8String.fromString(""), -0.0},
             {7L, null, Double.longBitsToDouble(0xfff8000000000001L)}}) {
      InternalRow input = new GenericInternalRow(row);
      assertEquals(spark.eval(input), Math.floorMod(keys.hash(keys.of(input)), 5));
    }
    RowKeys none = new RowKeys(new Projections(), columns, new int[0]);
    assertEquals(42, none.hash(none.of(InternalRow.empty())));
  }

  private static Expression partition(List<Column> columns, int... positions) {
    List<Expression> expressions = new ArrayList<>();
    for (int position : positions) {
      expressions.add(new BoundReference(position, columns.get(position).type(), true));
    }
    return new HashPartitioning(CollectionConverters.asScala(expressions).toSeq(), 5)
        .partitionIdExpression();
  }

  @Test
  void keysWhoseEqualValuesDifferInBytesAreRefused() {
    DataType caseless = DataType.fromDDL("STRING COLLATE UTF8_LCASE");
    List<Column> input = Fixture.columns("s", caseless, "x", DataTypes.LongType);
    EngineException e = assertThrows(
        EngineException.class, () -> AggregateFixture.of(input, List.of("s"), "count(x)"));
    assertTrue(e.getMessage().contains("use the collation UTF8_BINARY"), e.getMessage());
  }
}
