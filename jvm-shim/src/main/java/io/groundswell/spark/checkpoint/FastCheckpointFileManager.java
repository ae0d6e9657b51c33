package io.groundswell.spark.checkpoint;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/**
 * Goes by the scheme of the checkpoint's root: local ones to java.nio, others to Spark's choice.
 */
public class FastCheckpointFileManager implements CheckpointFileManager {
  /** While it names a class, Spark does not choose by itself. */
  private static final String CLASS_KEY = "spark.sql.streaming.checkpointFileManagerClass";

  private final CheckpointFileManager manager;

  protected FastCheckpointFileManager(Path path, Configuration conf) {
    this.manager = isLocal(path, conf) ? new LocalCheckpointFileManager(path) : spark(path, conf);
  }

  private static boolean isLocal(Path path, Configuration conf) {
    String scheme = path.toUri().getScheme();
    if (scheme == null) {
      scheme = FileSystem.getDefaultUri(conf).getScheme();
    }
    return "file".equals(scheme);
  }

  private static CheckpointFileManager spark(Path path, Configuration conf) {
    Configuration without = new Configuration(conf);
    without.unset(CLASS_KEY);
    return CheckpointFileManager.create(path, without);
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwriteIfPossible) {
    return manager.createAtomic(path, overwriteIfPossible);
  }

  @Override
  public FSDataInputStream open(Path path) {
    return manager.open(path);
  }

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    return manager.list(path, filter);
  }

  @Override
  public void mkdirs(Path path) {
    manager.mkdirs(path);
  }

  @Override
  public boolean exists(Path path) {
    return manager.exists(path);
  }

  @Override
  public void delete(Path path) {
    manager.delete(path);
  }

  @Override
  public boolean isLocal() {
    return manager.isLocal();
  }

  @Override
  public Path createCheckpointDirectory() {
    return manager.createCheckpointDirectory();
  }

  @Override
  public void close() {
    manager.close();
  }
}
