package io.groundswell.spark.views.dataflow.state;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.contract.commits.PendingCommit;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.StorageErrors;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.SerializableConfiguration;

/** Commits of the barriers since the last checkpoint: made durable by the next, or given up. */
public final class PendingCommits {
  /** One commit object. */
  private record Entry(String folder, String name) implements Serializable {}

  private final SparkSession session;
  private final List<Entry> entries = new ArrayList<>();

  public PendingCommits(
      SparkSession session, String root, Map<String, List<PendingCommit>> commits) {
    this.session = session;
    commits.forEach((state, made) -> {
      for (PendingCommit commit : made) {
        entries.add(new Entry(StoreRegistry.folder(root, state) + "/" + commit.partition(),
            FileNames.commit(commit.version(), commit.id())));
      }
    });
  }

  /** Writes them to storage, as one job; then lets go of them. */
  public void persist() {
    if (entries.isEmpty()) {
      return;
    }
    Broadcast<SerializableConfiguration> conf = SerializableConfiguration.broadcast(
        session.sparkContext(), session.sessionState().newHadoopConf());
    int slices = Math.min(entries.size(), session.sparkContext().defaultParallelism());
    JavaSparkContext.fromSparkContext(session.sparkContext())
        .parallelize(entries, slices)
        .foreach(entry -> persist(entry, conf.value().value()));
    conf.destroy();
    release();
  }

  /** Lets go of what processes hold in memory. */
  public void release() {
    Configuration conf = session.sessionState().newHadoopConf();
    entries.forEach(entry -> StoreRegistry.folderOf(entry.folder(), conf).release(entry.name()));
  }

  private static void persist(Entry entry, Configuration conf) {
    String name = entry.folder() + "/" + entry.name();
    try {
      StoreRegistry.folderOf(entry.folder(), conf).persist(entry.name());
    } catch (FileNotFoundException e) {
      throw new EngineException(ErrorCode.CHECKPOINT_LOST,
          name + " was in the memory of an executor that is gone, made after the last checkpoint:"
              + " start the query again, it goes on from that checkpoint",
          e);
    } catch (IOException e) {
      throw StorageErrors.cannot("write " + name, e);
    }
  }
}
