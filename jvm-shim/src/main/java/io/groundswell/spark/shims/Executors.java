package io.groundswell.spark.shims;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;

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

  /** The executor of a location, as tasks name it. */
  public static String idOf(String location) {
    return location.substring(location.lastIndexOf('_') + 1);
  }

  /**
   * Items with a partition each. Spark works on it there, unless that executor is busy for long.
   */
  public static <T> JavaRDD<T> at(SparkContext context, List<T> items, List<String> locations) {
    List<Tuple2<T, Seq<String>>> placed = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      placed.add(new Tuple2<>(items.get(i), Scala.seq(List.of(locations.get(i)))));
    }
    ClassTag<T> tag = Scala.classTag(Object.class);
    return new JavaRDD<>(context.makeRDD(Scala.seq(placed), tag), tag);
  }
}
