package io.groundswell;

import io.groundswell.spark.store.checkpoint.FastCheckpointFileManager;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * For {@code spark.sql.streaming.checkpointFileManagerClass}: Spark's log files through java.nio
 * where they are local.
 */
public final class GroundswellCheckpointFileManager extends FastCheckpointFileManager {
  /** The constructor that Spark calls. */
  public GroundswellCheckpointFileManager(Path path, Configuration conf) {
    super(path, conf);
  }
}
