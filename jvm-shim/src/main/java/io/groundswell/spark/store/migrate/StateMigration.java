package io.groundswell.spark.store.migrate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.store.migrate.MigrationPlan.OperatorPlan;
import io.groundswell.spark.store.migrate.StateExtract.Moved;
import io.groundswell.spark.store.migrate.StateLoad.Loaded;
import java.util.Comparator;
import java.util.HashMap;
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
   * @param plan JSON, see {@code MigrationPlan}
   * @return JSON: {@code {"<operator>": {"rows": n, "ids": [[id of each store] by partition]}}}
   */
  public static String run(SparkSession session, String plan) {
    MigrationPlan migration = MigrationPlan.of(Json.parse(plan));
    // New stores tell the ids of their commits, also to checkpoints that do not ask for them.
    Map<String, String> pinned =
        Map.of(FORMAT, "2", ENCODING, migration.confs().getOrDefault(ENCODING, "unsaferow"));
    Stores stores = new Stores(UUID.randomUUID(), migration, conf(session, migration.confs()),
        conf(session, pinned), schemas(session, migration),
        SerializableConfiguration.broadcast(
            session.sparkContext(), session.sessionState().newHadoopConf()));
    ObjectNode result = Json.object();
    for (OperatorPlan operator : migration.operators()) {
      ObjectNode own = result.putObject(String.valueOf(operator.id()));
      ArrayNode ids = own.putArray("ids");
      long rows = 0;
      for (Loaded loaded : move(session, operator, stores)) {
        ArrayNode ofPartition = ids.addArray();
        loaded.ids().forEach(ofPartition::add);
        rows += loaded.rows();
      }
      own.put("rows", rows);
    }
    return result.toString();
  }

  private static Map<Long, StateSchemaProvider> schemas(SparkSession session, MigrationPlan plan) {
    Map<Long, StateSchemaProvider> schemas = new HashMap<>();
    for (OperatorPlan operator : plan.operators()) {
      if (!operator.schemaFiles().isEmpty()) {
        StateSchemaMetadata found = StateSchemaMetadata.createStateSchemaMetadata(
            plan.from() + "/" + operator.id(), session.sessionState().newHadoopConf(),
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
