package io.groundswell.spark.views.dataflow.exchange;

import io.groundswell.spark.shims.Exchange;
import io.groundswell.spark.shims.Scala;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The exchanges of one barrier, where all tasks are in one process. What results read is dealt out
 * first, from the sources on; what would come out of no rows is not run at all.
 */
public final class LocalExchanges {
  private final Map<Integer, LocalExchange> byRows = new LinkedHashMap<>();
  private final Set<Integer> done = new HashSet<>();
  private final Set<Integer> nothing = new HashSet<>();
  private final Map<Integer, Boolean> idle = new HashMap<>();

  /** What {@link #run} waits for, and how many partitions its results have. */
  private volatile List<ShuffledRows> awaited = List.of();

  private volatile int last;

  /** The input's rows where the exchange puts them. */
  public RDD<InternalRow> exchange(Exchange planned, RDD<InternalRow> input) {
    LocalExchange made = new LocalExchange(planned, input);
    byRows.put(made.rows().id(), made);
    return made.rows();
  }

  /** Notes that an RDD has no rows. */
  public void nothing(RDD<InternalRow> rdd) {
    nothing.add(rdd.id());
  }

  /**
   * Runs jobs until the exchanges that results read have dealt out their rows.
   *
   * @param job runs the tasks of some RDDs
   * @return the results that still have to be run
   */
  public List<RDD<InternalRow>> run(
      List<RDD<InternalRow>> results, Consumer<List<RDD<InternalRow>>> job) {
    if (byRows.isEmpty()) {
      return results;
    }
    Set<Integer> needed = new HashSet<>();
    results.forEach(result -> collect(result, needed, new HashSet<>()));
    last = results.stream().mapToInt(RDD::getNumPartitions).sum();
    awaited = needed.stream().map(id -> byRows.get(id).dealt()).toList();
    while (!done.containsAll(needed)) {
      List<Integer> ready =
          needed.stream().filter(id -> !done.contains(id) && isReady(id)).toList();
      List<RDD<InternalRow>> tasks = new ArrayList<>();
      for (int id : ready) {
        if (isIdle(byRows.get(id).deal())) {
          byRows.get(id).dealt().endAll();
        } else {
          tasks.add(byRows.get(id).deal());
        }
      }
      if (!tasks.isEmpty()) {
        job.accept(tasks);
      }
      done.addAll(ready);
    }
    return results.stream().filter(result -> !isIdle(result)).toList();
  }

  /** How many partitions were filled so far. */
  public int done() {
    return awaited.stream().mapToInt(ShuffledRows::ended).sum();
  }

  /** How many there are to fill, and how many results; 0: nothing has run. */
  public int all() {
    return last + awaited.stream().mapToInt(ShuffledRows::tasks).sum();
  }

  private boolean isReady(int id) {
    Set<Integer> below = new HashSet<>();
    collect(byRows.get(id).deal(), below, new HashSet<>());
    return done.containsAll(below);
  }

  /** The exchanges that an RDD reads, and of which those read in their turn. */
  private void collect(RDD<?> rdd, Set<Integer> found, Set<Integer> seen) {
    if (!seen.add(rdd.id())) {
      return;
    }
    LocalExchange exchange = byRows.get(rdd.id());
    if (exchange != null) {
      found.add(rdd.id());
      collect(exchange.deal(), found, seen);
    }
    for (Dependency<?> dependency : Scala.list(rdd.dependencies())) {
      collect(dependency.rdd(), found, seen);
    }
  }

  /** True if its tasks would take no rows and have nothing else to do; known once those ran. */
  public boolean isIdle(RDD<?> rdd) {
    Boolean known = idle.get(rdd.id());
    if (known == null) {
      known = findIdle(rdd);
      idle.put(rdd.id(), known);
    }
    return known;
  }

  private boolean findIdle(RDD<?> rdd) {
    LocalExchange exchange = byRows.get(rdd.id());
    if (exchange != null) {
      return exchange.isEmpty();
    }
    List<Dependency<?>> dependencies = Scala.list(rdd.dependencies());
    if (dependencies.isEmpty()) {
      return nothing.contains(rdd.id());
    }
    return !(rdd instanceof OperatorRdd operator && operator.runsEmpty())
        && dependencies.stream().allMatch(dependency -> isIdle(dependency.rdd()));
  }

  public void close() {
    byRows.values().forEach(LocalExchange::close);
  }
}
