package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class PlacingTest {
  /** By thirty keys, of which the last are of that type. */
  private static Exchange.Placing placing(DataType last) {
    List<Expression> keys =
        IntStream.range(0, 30)
            .<Expression>mapToObj(
                i -> new BoundReference(i, i < 26 ? DataTypes.LongType : last, true))
            .toList();
    return new Exchange.Placing(new HashPartitioning(Scala.seq(keys), 4).partitionIdExpression());
  }

  @Test
  void codeIsLentToEqualExpressionsAlone() {
    UnsafeProjection code = placing(DataTypes.LongType).lend();
    placing(DataTypes.LongType).giveBack(code);
    assertNotSame(code, placing(DataTypes.StringType).lend(), "Spark cuts the text of both");
    assertSame(code, placing(DataTypes.LongType).lend());
  }
}
