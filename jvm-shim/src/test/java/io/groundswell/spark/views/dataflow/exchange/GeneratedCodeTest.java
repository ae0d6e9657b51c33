package io.groundswell.spark.views.dataflow.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.groundswell.spark.shims.CachedCode;
import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.StageCode;
import io.groundswell.spark.views.dataflow.SparkTest;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.metrics.source.CodegenMetrics;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.Test;

class GeneratedCodeTest extends SparkTest {
  private static long compiled() {
    return CodegenMetrics.METRIC_COMPILATION_TIME().getCount();
  }

  /** Spark keeps code by class loader, and tasks have one of their own. */
  @Test
  void tasksOfTheDriversProcessDoNotCompileAgainWhatItHasCompiled() {
    SparkSession session = (SparkSession) org.apache.spark.sql.SparkSession.builder()
                               .sparkContext(spark)
                               .getOrCreate();
    session.conf().set(StageCode.SETTING, "true");
    SparkPlan plan =
        session.range(1).selectExpr("id * 7919 + 20261128 AS x").queryExecution().sparkPlan();
    SparkPlan leaf = plan.collectLeaves().head();
    long before = compiled();
    PartitionEvaluatorFactory<InternalRow, InternalRow> code = CachedCode.of(plan, leaf);
    assertNotNull(code);
    assertEquals(before + 1, compiled());
    PooledTask task = PooledTask.of(spark, new GeneratedCode(code));
    List<InternalRow> rows = new ArrayList<>();
    for (long i = 0; i < 3; i++) {
      rows.add(new GenericInternalRow(new Object[] {i}));
    }
    RDD<InternalRow> given = Catalyst.parallelize(spark, rows, 3);
    Object[] found = (Object[]) new OperatorRdd(List.of(given), task).collect();
    assertEquals(3, found.length);
    for (int i = 0; i < 3; i++) {
      assertEquals(i * 7919L + 20261128, ((InternalRow) found[i]).getLong(0));
    }
    assertEquals(before + 1, compiled());
  }
}
