package io.groundswell.spark.store.checkpoint;

import io.groundswell.checkpoint.Ownership;
import io.groundswell.spark.shims.Scala;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
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

  static final String COMMIT_LOG = "commits";
  static final String OFFSET_LOG = "offsets";
  private static final String SOURCES = "sources";
  private static final String STATE = "state";

  private final CheckpointFileManager manager;
  private final Configuration conf;

  /** The checkpoint that this is a log of; null if it is none. */
  private final String location;

  /** Null unless files can be created on condition that there are none. */
  private final ObjectStore folder;

  /** Those of that folder. */
  private final RecentFiles recent;

  private final DriverCheckpoints checkpoints;

  /** Null if this is no commit log, or no commit is ever deferred. */
  private final DriverCheckpoints.Log commits;

  /** As of the last write; null before the first. */
  private volatile Ownership claimed;

  protected FastCheckpointFileManager(Path path, Configuration conf) {
    this.manager = managerOf(path, conf);
    this.conf = conf;
    this.location = locationOf(path);
    this.folder = createsOnCondition(path, conf) ? ObjectStores.open(path.toString(), conf) : null;
    this.recent = new RecentFiles(folder == null ? path.toString() : folder.location());
    this.checkpoints = DriverCheckpoints.active();
    this.commits = checkpoints == null || !COMMIT_LOG.equals(path.getName())
        ? null
        : checkpoints.new Log(
              CheckpointFolders.nameOf(new Path(path.getParent(), STATE), conf), conf);
  }

  private static String locationOf(Path log) {
    Path parent = log.getParent();
    if (COMMIT_LOG.equals(log.getName()) || OFFSET_LOG.equals(log.getName())) {
      return parent.toString();
    }
    boolean ofSource = parent != null && SOURCES.equals(parent.getName());
    return ofSource ? parent.getParent().toString() : null;
  }

  private static boolean createsOnCondition(Path path, Configuration conf) {
    if (conf.get(DELEGATE_KEY) != null || isLocal(path, conf)) {
      return false;
    }
    try {
      return path.getFileSystem(conf).hasPathCapability(
          path, Options.CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE);
    } catch (IOException e) {
      throw Scala.unchecked(e);
    }
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
    try {
      Ownership ownership = ownership();
      claimed = ownership;
      PendingLogs pending = pending();
      if (pending != null && !overwriteIfPossible) {
        return PendingFile.of(
            bytes -> pending.add(path, bytes, () -> write(path, bytes, ownership)));
      }
      if (ownership != null) {
        ownership.checkOnceInAMoment();
      }
      if (commits != null && RecentFiles.isBatch(path.getName())) {
        boolean views = CheckpointOwners.ofPipeline(location, conf) != null;
        commits.beforeCommit(Long.parseLong(path.getName()), views ? null : ownership);
      }
      return file(path, overwriteIfPossible, ownership);
    } catch (IOException | InterruptedException e) {
      throw Scala.unchecked(e); // Spark knows an interrupt by its class
    }
  }

  private CancellableFSDataOutputStream file(
      Path path, boolean overwriteIfPossible, Ownership ownership) {
    recent.remove(path.getName());
    CancellableFSDataOutputStream file = folder != null && !overwriteIfPossible
        ? NewObject.create(folder, path.getName(), recent)
        : manager.createAtomic(path, overwriteIfPossible);
    return ownership == null ? file : new FencedFile(file, ownership);
  }

  /** Beside the micro-batches. A run that was followed creates one entry of a log more at most. */
  private void write(Path path, byte[] bytes, Ownership ownership) throws IOException {
    if (ownership != null) {
      ownership.check();
    }
    CancellableFSDataOutputStream file = file(path, false, ownership);
    try {
      file.write(bytes);
    } catch (IOException e) {
      file.cancel();
      throw e;
    }
    file.close();
  }

  /** Null if what is written here is written at once. */
  private PendingLogs pending() {
    return location == null ? null : PendingLogs.of(location, conf);
  }

  /** What must hold before a log is written; null where nobody claims checkpoints. */
  private Ownership ownership() throws IOException {
    if (location == null) {
      return null;
    }
    Ownership pipeline = CheckpointOwners.ofPipeline(location, conf);
    if (pipeline != null || checkpoints == null) {
      return pipeline;
    }
    String run = checkpoints.runOfThisThread();
    return run == null ? null : CheckpointOwners.ofRun(location, run, conf);
  }

  @Override
  public FSDataInputStream open(Path path) {
    PendingLogs pending = pending();
    byte[] bytes = pending == null ? null : pending.read(path);
    if (bytes != null) {
      return RecentFiles.stream(bytes);
    }
    FSDataInputStream own = recent.open(path.getName());
    return own == null ? manager.open(path) : own;
  }

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    PendingLogs pending = pending();
    Map<Path, FileStatus> found = new LinkedHashMap<>();
    if (pending != null) { // before the storage is asked: what it has then is not missed
      for (String name : pending.names(path)) {
        Path file = new Path(path, name);
        byte[] bytes = pending.read(file);
        if (bytes != null && filter.accept(file)) {
          found.put(
              file, new FileStatus(bytes.length, false, 1, 1, System.currentTimeMillis(), file));
        }
      }
    }
    FileStatus[] stored = manager.list(path, filter);
    if (found.isEmpty()) {
      return stored;
    }
    for (FileStatus each : stored) {
      found.keySet().removeIf(own -> own.getName().equals(each.getPath().getName()));
    }
    List<FileStatus> all = new ArrayList<>(List.of(stored));
    all.addAll(found.values());
    return all.toArray(FileStatus[] ::new);
  }

  @Override
  public void mkdirs(Path path) {
    manager.mkdirs(path);
  }

  /** Spark looks before it writes: what is there already may be another run's. */
  @Override
  public boolean exists(Path path) {
    PendingLogs pending = pending();
    if (recent.has(path.getName()) || pending != null && pending.read(path) != null) {
      return true;
    }
    if (claimed != null && recent.isNext(path.getName())) {
      return false; // if there is one nevertheless, its creation fails
    }
    boolean there = isThere(path);
    Ownership ownership = claimed;
    if (there && ownership != null) {
      try {
        ownership.check();
      } catch (IOException e) {
        throw Scala.unchecked(e);
      }
    }
    return there;
  }

  private boolean isThere(Path path) {
    if (folder == null || !RecentFiles.isBatch(path.getName())) {
      return manager.exists(path);
    }
    try {
      return folder.has(path.getName());
    } catch (IOException e) {
      throw Scala.unchecked(e);
    }
  }

  @Override
  public void delete(Path path) {
    recent.remove(path.getName());
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
