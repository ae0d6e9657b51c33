package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.EpochStore;
import io.groundswell.engine.ExternalMerges;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.contract.commits.MergeDone;
import io.groundswell.spark.views.contract.commits.MergeRequest;
import io.groundswell.spark.views.contract.commits.MergeResult;
import io.groundswell.spark.views.contract.commits.MergeWork;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/** Merges files of states that another application writes, as a Spark job. */
public final class MergeTasks {
  private record Part(List<MergeDone> done, String failed) implements Serializable {}

  private MergeTasks() {}

  /** Does all merges that are due; see {@link ExternalMerges}. */
  public static MergeResult run(SparkSession session, MergeRequest request) {
    if (request.parts().isEmpty()) {
      return new MergeResult(List.of(), null);
    }
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    Broadcast<SerializableConfiguration> conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
    String root = request.root();
    try {
      // A task for each: one that has much to merge holds up no other.
      List<Part> parts = context.parallelize(request.parts(), request.parts().size())
                             .map(work -> merged(root, work, conf.value().value()))
                             .collect();
      return new MergeResult(parts.stream().flatMap(part -> part.done().stream()).toList(),
          parts.stream().map(Part::failed).filter(each -> each != null).findFirst().orElse(null));
    } finally {
      conf.destroy();
    }
  }

  /** Deletes the files of results that nobody was told of. */
  public static void discard(SparkSession session, String root, MergeResult result) {
    Configuration conf = session.sessionState().newHadoopConf();
    for (MergeDone done : result.done()) {
      StoreRegistry.get(StoreRegistry.folder(root, done.state()) + "/" + done.partition(), conf)
          .merges()
          .discard(Base64.getDecoder().decode(done.record()));
    }
  }

  /** What fails here has been deleted by the writer meanwhile, or is looked at again later. */
  private static Part merged(String root, MergeWork work, Configuration conf) {
    EpochStore store =
        StoreRegistry.get(StoreRegistry.folder(root, work.state()) + "/" + work.partition(), conf);
    ExternalMerges merges = store.merges();
    TaskContext task = TaskContext.get();
    List<byte[]> told = new ArrayList<>();
    work.told().forEach(record -> told.add(Base64.getDecoder().decode(record)));
    List<MergeDone> done = new ArrayList<>();
    try {
      while (true) {
        byte[] record = merges.next(work.version(), work.id(), told, task::isInterrupted);
        if (record == null) {
          return new Part(done, null);
        }
        told.add(record);
        ExternalMerges.Bytes bytes = merges.bytes(record, work.version(), work.id());
        done.add(new MergeDone(work.state(), work.partition(),
            Base64.getEncoder().encodeToString(record), bytes.read(), bytes.written()));
      }
    } catch (EngineException e) {
      return new Part(done, e.getMessage());
    }
  }
}
