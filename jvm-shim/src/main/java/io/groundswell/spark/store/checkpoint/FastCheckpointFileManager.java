package io.groundswell.spark.store.checkpoint;

import io.groundswell.spark.shims.Scala;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/**
 * Goes by the scheme of the checkpoint's root: local ones to java.nio, others to Spark's choice;
 * all to the class that the user had chosen, if any. That of a commit log lets no batch be recorded
 * before what executors have sealed of it is durable.
 */
public class FastCheckpointFileManager implements CheckpointFileManager {
  /** While it names a class, Spark does not choose by itself. */
  public static final String CLASS_KEY = "spark.sql.streaming.checkpointFileManagerClass";

  /** The class that does the work, where a user has one of their own. */
  public static final String DELEGATE_KEY = "spark.groundswell.checkpointFileManager";

  private static final String COMMIT_LOG = "commits";
  private static final String STATE = "state";

  private final CheckpointFileManager manager;

  /** Null if this is no commit log, or no commit is ever deferred. */
  private final DriverCheckpoints.Log commits;

  protected FastCheckpointFileManager(Path path, Configuration conf) {
    this.manager = managerOf(path, conf);
    DriverCheckpoints checkpoints = DriverCheckpoints.active();
    this.commits = checkpoints == null || !COMMIT_LOG.equals(path.getName())
        ? null
        : checkpoints.new Log(
              CheckpointFolders.nameOf(new Path(path.getParent(), STATE), conf), conf);
  }

  private static CheckpointFileManager managerOf(Path path, Configuration conf) {
    String delegate = conf.get(DELEGATE_KEY);
    if (delegate != null) {
      Configuration with = new Configuration(conf);
      with.set(CLASS_KEY, delegate);
      return CheckpointFileManager.create(path, with);
    }
    return isLocal(path, conf) ? new LocalCheckpointFileManager(path) : spark(path, conf);
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
    if (commits != null && isBatch(path.getName())) {
      try {
        commits.beforeCommit(Long.parseLong(path.getName()));
      } catch (IOException | InterruptedException e) {
        throw Scala.unchecked(e); // Spark knows an interrupt by its class
      }
    }
    return manager.createAtomic(path, overwriteIfPossible);
  }

  private static boolean isBatch(String name) {
    return !name.isEmpty() && name.length() < 19 && name.chars().allMatch(Character::isDigit);
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
