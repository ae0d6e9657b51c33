package io.groundswell.spark.views.dataflow;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/** A Spark of one thread for tests of RDDs and block managers. */
public final class LocalSpark {
  private LocalSpark() {}

  public static SparkContext start() {
    return start(new SparkConf());
  }

  /** With more settings. */
  public static SparkContext start(SparkConf more) {
    return new SparkContext(more.setMaster("local[1]")
            .setAppName("test")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.driver.host", "127.0.0.1"));
  }
}
