package io.groundswell.spark.store.encoding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class PartitionHashTest {
  private final long seed = System.nanoTime();
  private final RandomRows rows = new RandomRows(seed);

  @Test
  void rowsGoWhereSparkSendsThem() {
    for (int i = 0; i < 100; i++) {
      StructType schema = rows.schema(1 + rows.random.nextInt(5));
      PartitionHash hash = PartitionHash.first(schema, schema.length());
      for (int partitions : new int[] {200, 8191}) {
        Expression spark = partitionId(schema, partitions);
        for (int k = 0; k < 10; k++) {
          UnsafeRow row = rows.row(schema);
          assertEquals(
              spark.eval(row), Math.floorMod(hash.of(row), partitions), "seed " + seed + schema);
        }
      }
    }
  }

  private static Expression partitionId(StructType schema, int partitions) {
    List<Expression> columns = new ArrayList<>();
    for (int i = 0; i < schema.length(); i++) {
      StructField field = schema.fields()[i];
      columns.add(new BoundReference(i, field.dataType(), field.nullable()));
    }
    return new HashPartitioning(CollectionConverters.asScala(columns).toSeq(), partitions)
        .partitionIdExpression();
  }
}
