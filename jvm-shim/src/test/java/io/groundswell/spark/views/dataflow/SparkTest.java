package io.groundswell.spark.views.dataflow;

import org.apache.spark.SparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests that share a {@link LocalSpark} of their class. */
public abstract class SparkTest {
  protected static SparkContext spark;

  @BeforeAll
  static void start() {
    spark = LocalSpark.start();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }
}
