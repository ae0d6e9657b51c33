package io.groundswell.spark.store.migrate;

import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.store.contract.MigrationPlan;
import io.groundswell.spark.store.contract.MigrationResult;
import io.groundswell.spark.store.contract.MovedOperator;
import io.groundswell.spark.store.contract.OperatorPlan;
import io.groundswell.spark.store.migrate.StateExtract.Moved;
import io.groundswell.spark.store.migrate.StateLoad.Loaded;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.state.StateSchemaBroadcast;
import org.apache.spark.sql.execution.streaming.state.StateSchemaMetadata;
import org.apache.spark.sql.execution.streaming.state.StateSchemaProvider;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Copies state into another checkpoint, one Spark job an operator. */
public final class StateMigration {
  private static final String FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion";
  private static final String ENCODING = "spark.sql.streaming.stateStore.encodingFormat";

  private StateMigration() {}

  /**
   * Runs a plan.
   *
   * @param plan a {@link MigrationPlan}
   * @return a {@link MigrationResult}
   */
  public static String run(SparkSession session, String plan) {
    MigrationPlan migration = Documents.read(plan, MigrationPlan.class);
    // New stores tell the ids of their commits, also to checkpoints that do not ask for them.
    Map<String, String> pinned =
        Map.of(FORMAT, "2", ENCODING, migration.confs().getOrDefault(ENCODING, "unsaferow"));
    Stores stores = new Stores(UUID.randomUUID(), migration, conf(session, migration.confs()),
        conf(session, pinned), schemas(session, migration),
        SerializableConfiguration.broadcast(
            session.sparkContext(), session.sessionState().newHadoopConf()));
    Map<String, MovedOperator> moved = new LinkedHashMap<>();
    for (OperatorPlan operator : migration.operators()) {
      List<Loaded> loaded = move(session, operator, stores);
      moved.put(String.valueOf(operator.id()),
          new MovedOperator(loaded.stream().mapToLong(Loaded::rows).sum(),
              loaded.stream().map(Loaded::ids).toList()));
    }
    return Documents.write(new MigrationResult(moved));
  }

  private static Map<Long, StateSchemaProvider> schemas(SparkSession session, MigrationPlan plan) {
    Map<Long, StateSchemaProvider> schemas = new HashMap<>();
    for (OperatorPlan operator : plan.operators()) {
      if (!operator.schemaFiles().isEmpty()) {
        StateSchemaMetadata found = StateSchemaMetadata.createStateSchemaMetadata(
            plan.origin() + "/" + operator.id(), session.sessionState().newHadoopConf(),
            CollectionConverters.asScala(operator.schemaFiles()).toList());
        schemas.put(operator.id(),
            new StateSchemaBroadcast(
                JavaSparkContext.fromSparkContext(session.sparkContext()).broadcast(found)));
      }
    }
    return schemas;
  }

  private static List<Loaded> move(SparkSession session, OperatorPlan operator, Stores stores) {
    List<Integer> partitions = IntStream.range(0, operator.partitions()).boxed().toList();
    JavaPairRDD<Integer, Moved> rows =
        JavaSparkContext.fromSparkContext(session.sparkContext())
            .parallelize(partitions, operator.partitions())
            .flatMapToPair(partition -> extract(operator, stores, partition));
    return rows.partitionBy(new HashPartitioner(operator.newPartitions()))
        .mapPartitionsWithIndex(
            (partition, moved)
                -> List.of(StateLoad.run(operator, stores, partition, moved)).iterator(),
            true)
        .collect()
        .stream()
        .sorted(Comparator.comparingInt(Loaded::partition))
        .toList();
  }

  private static StateExtract extract(OperatorPlan operator, Stores stores, int partition) {
    StateExtract rows = new StateExtract(operator, stores, partition);
    TaskCompletionListener end = context -> rows.close();
    TaskContext.get().addTaskCompletionListener(end);
    return rows;
  }

  /** The session's confs, and over them what a checkpoint has pinned. */
  private static StateStoreConf conf(SparkSession session, Map<String, String> pinned) {
    SQLConf conf = session.sessionState().conf().clone();
    pinned.forEach(conf::setConfString);
    return StateStoreConf.apply(conf);
  }
}
