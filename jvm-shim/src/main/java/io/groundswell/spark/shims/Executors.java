package io.groundswell.spark.shims;

import java.util.Comparator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;

/** The executors of an application, as its scheduler names them. */
public final class Executors {
  private Executors() {}

  /**
   * Where tasks may be asked to run: the executors that are there and are not about to go, oldest
   * first. One call within the driver. None where tasks run in the driver itself.
   */
  public static List<String> locations(SparkContext context) {
    if (context.isLocal()) {
      return List.of();
    }
    BlockManager driver = context.env().blockManager();
    return Scala.list(driver.master().getPeers(driver.blockManagerId()))
        .stream()
        .sorted(Comparator.comparingInt((BlockManagerId id) -> id.executorId().length())
                .thenComparing(BlockManagerId::executorId))
        .map(id -> "executor_" + id.host() + "_" + id.executorId())
        .toList();
  }
}
