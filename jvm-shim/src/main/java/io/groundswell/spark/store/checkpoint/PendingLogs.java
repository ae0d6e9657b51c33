package io.groundswell.spark.store.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.StorageErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;

/**
 * Entries of Spark's logs of one checkpoint that are written beside the micro-batches: Spark goes
 * on at once, and reads them from memory until storage has them. The entries of a log are written
 * one after the other, and after one that fails there are no more. Those of the offset log wait for
 * the logs of sources, which they refer to. Those of the commit log wait until they are released:
 * so storage never says of a batch that it is done before what it made is durable. Safe for many
 * threads.
 */
public final class PendingLogs {
  /** Writes an entry. */
  @FunctionalInterface
  interface Write {
    void run() throws IOException;
  }

  /** Spark's word for an entry that is there before it was written. */
  private static final String OVERTAKEN = "CONCURRENT_STREAM_LOG_UPDATE";

  private static final ConcurrentMap<String, PendingLogs> OPEN = new ConcurrentHashMap<>();

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final String location;
  private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "groundswell-log-writer");
    thread.setDaemon(true);
    return thread;
  });

  /** By path, what storage may not have. */
  private final ConcurrentMap<String, byte[]> held = new ConcurrentHashMap<>();

  // Guarded by this.

  /** By folder, when the last of its entries is written. */
  private final Map<String, CompletableFuture<Void>> logs = new HashMap<>();

  /** By batch, when its entry in the offset log is written. */
  private final TreeMap<Long, CompletableFuture<Void>> planned = new TreeMap<>();

  /** By batch, its entry in the commit log: what waits to be released. */
  private final TreeMap<Long, Supplier<CompletableFuture<Void>>> waiting = new TreeMap<>();

  /** By batch, when its entry in the commit log is written; of those that were released. */
  private final TreeMap<Long, CompletableFuture<Void>> recorded = new TreeMap<>();

  private long released = -1;

  private PendingLogs(String location) {
    this.location = location;
  }

  /** From now on the logs of a checkpoint are written beside the micro-batches, until it ends. */
  public static PendingLogs open(String location, Configuration conf) {
    PendingLogs made = new PendingLogs(CheckpointFolders.nameOf(new Path(location), conf));
    OPEN.put(made.location, made);
    return made;
  }

  /** Those of a checkpoint; null if its logs are written at once. */
  static PendingLogs of(String location, Configuration conf) {
    return OPEN.isEmpty() ? null : OPEN.get(CheckpointFolders.nameOf(new Path(location), conf));
  }

  /** The bytes of an entry that storage may not have; null if there is none. */
  static byte[] read(String log, String name) {
    if (OPEN.isEmpty()) {
      return null;
    }
    Path file = new Path(log, name);
    PendingLogs all = of(file.getParent().getParent().toString(), new Configuration(false));
    return all == null ? null : all.held.get(keyOf(file));
  }

  /** Independent of how scheme and authority are written: all are of one checkpoint. */
  private static String keyOf(Path file) {
    return file.toUri().getPath();
  }

  byte[] read(Path file) {
    return held.get(keyOf(file));
  }

  /** The names in a folder that storage may not have. */
  Collection<String> names(Path folder) {
    String prefix = keyOf(folder) + "/";
    List<String> names = new ArrayList<>();
    for (String key : held.keySet()) {
      if (key.startsWith(prefix) && key.indexOf('/', prefix.length()) < 0) {
        names.add(key.substring(prefix.length()));
      }
    }
    return names;
  }

  /** Takes an entry. */
  synchronized void add(Path file, byte[] bytes, Write write) throws IOException {
    for (CompletableFuture<Void> log : logs.values()) {
      if (log.isCompletedExceptionally()) {
        throw new IOException(
            "an entry of " + location + " before " + file + " was not written", causeOf(log));
      }
    }
    held.put(keyOf(file), bytes);
    String folder = file.getParent().getName();
    boolean isBatch = RecentFiles.isBatch(file.getName());
    long batch = isBatch ? Long.parseLong(file.getName()) : -1;
    if (isBatch && folder.equals(FastCheckpointFileManager.COMMIT_LOG)) {
      waiting.put(batch, () -> append(file, DONE, write));
      release(released);
    } else if (isBatch && folder.equals(FastCheckpointFileManager.OFFSET_LOG)) {
      planned.put(batch, append(file, sources(), write));
    } else {
      append(file, DONE, write);
    }
  }

  /** When what the logs of sources have until now is written. */
  private CompletableFuture<Void> sources() {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    logs.forEach((folder, last) -> {
      if (!folder.endsWith("/" + FastCheckpointFileManager.COMMIT_LOG)) {
        all.add(last);
      }
    });
    return CompletableFuture.allOf(all.toArray(CompletableFuture[] ::new));
  }

  private CompletableFuture<Void> append(Path file, CompletableFuture<Void> others, Write write) {
    return logs.merge(keyOf(file.getParent()), written(file, others, write), (before, own) -> own);
  }

  private CompletableFuture<Void> written(Path file, CompletableFuture<Void> others, Write write) {
    CompletableFuture<Void> before = logs.getOrDefault(keyOf(file.getParent()), DONE);
    return CompletableFuture.allOf(before, others).thenRunAsync(() -> {
      try {
        FailPoints.hit("log.before-write");
        write.run();
        FailPoints.hit("log.after-write");
      } catch (FileAlreadyExistsException e) {
        throw new EngineException(ErrorCode.ILLEGAL_STATE,
            "[" + OVERTAKEN + "] " + file + " is there already: another run has written it", e);
      } catch (IOException e) {
        throw new CompletionException(StorageErrors.cannot("write " + file, e));
      }
      held.remove(keyOf(file));
    }, threads);
  }

  /** Returns when storage has the offsets of a batch, if this was told of them. */
  public void awaitPlanned(long batch) throws Exception {
    await(planned, batch);
  }

  /** Returns when storage says of a batch that it is done, if that was released. */
  public void awaitRecorded(long batch) throws Exception {
    await(recorded, batch);
  }

  private void await(TreeMap<Long, CompletableFuture<Void>> batches, long batch) throws Exception {
    CompletableFuture<Void> written;
    synchronized (this) {
      written = batches.get(batch);
      batches.headMap(batch).clear();
    }
    if (written != null) {
      await(written);
    }
  }

  /** The commit log may say that batches up to that one are done; it does so soon. */
  public synchronized void release(long batch) {
    released = Math.max(released, batch);
    while (!waiting.isEmpty() && waiting.firstKey() <= released) {
      var entry = waiting.pollFirstEntry();
      recorded.put(entry.getKey(), entry.getValue().get());
    }
  }

  /** Returns when all entries that were released are written, and those of other logs. */
  public void awaitAll() throws Exception {
    List<CompletableFuture<Void>> all;
    synchronized (this) {
      all = List.copyOf(logs.values());
    }
    for (CompletableFuture<Void> log : all) {
      await(log);
    }
  }

  private static void await(CompletableFuture<Void> written) throws Exception {
    try {
      written.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static Throwable causeOf(CompletableFuture<Void> log) {
    return log
        .handle((nothing, error) -> error instanceof CompletionException ? error.getCause() : error)
        .join();
  }

  /** Logs are written at once from now on; what is not released, or not begun, is given up. */
  public void close() throws InterruptedException {
    OPEN.remove(location, this);
    threads.shutdown();
    threads.awaitTermination(1, TimeUnit.MINUTES);
  }
}
