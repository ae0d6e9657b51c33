package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.storage.StorageErrors;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Packs the commits that a JVM seals, one pack for all stores of a batch, and makes them durable.
 * Safe for many threads. Bytes that wait are bounded: sealing waits for uploads.
 */
public final class Uploader implements AutoCloseable {
  /** Commits that share packs: of one checkpoint, run and version. */
  private record Batch(BatchPacks folder, String owner, long version) {}

  private static final class Upload {
    final Batch batch;
    final Pack pack;
    final long startNanos = System.nanoTime();
    CompletableFuture<Void> done; // null while the pack is open

    Upload(Batch batch, Pack pack) {
      this.batch = batch;
      this.pack = pack;
    }

    boolean failed() {
      return done != null && done.isCompletedExceptionally();
    }
  }

  private record Kept(BatchPacks folder, Pack pack) {}

  private final UploadOptions options;
  private final ExecutorService threads;

  /** The ids of packs. */
  private final Supplier<String> ids;

  // All guarded by this.
  private final Map<Batch, List<Upload>> waiting = new HashMap<>();
  private final Deque<Kept> kept = new ArrayDeque<>();
  private long sealedBytes;
  private long keptBytes;
  private long uploads;
  private long uploadedBytes;
  private long failures;
  private long stallMillis;
  private long lagMillis;

  public Uploader(UploadOptions options) {
    this(options, Executors.newFixedThreadPool(options.threads(), task -> {
      Thread thread = new Thread(task, "groundswell-upload");
      thread.setDaemon(true);
      return thread;
    }), () -> FileNames.newId(System.currentTimeMillis()));
  }

  /** For simulations: uploads run where {@code threads} runs them. */
  public static Uploader simulated(
      UploadOptions options, ExecutorService threads, Supplier<String> ids) {
    return new Uploader(options, threads, ids);
  }

  private Uploader(UploadOptions options, ExecutorService threads, Supplier<String> ids) {
    this.options = options;
    this.threads = threads;
    this.ids = ids;
  }

  public UploadOptions options() {
    return options;
  }

  /**
   * Appends a commit to the open pack of its batch.
   *
   * @param owner the run that will release the batch
   * @return where it is
   */
  public FinishedCommit seal(BatchPacks folder, String owner, long version, String store, String id,
      byte[] rows, Destination.Tail tail) throws IOException {
    Batch batch = new Batch(folder, owner, version);
    synchronized (this) {
      awaitRoom(rows.length);
      Upload open = open(batch);
      long offset = open.pack.length();
      byte[] end = tail.at(id, open.pack.name, offset);
      FailPoints.hit("seal.before-append");
      open.pack.append(rows);
      open.pack.append(end);
      FailPoints.hit("seal.after-append");
      sealedBytes += rows.length + end.length;
      if (open.pack.length() >= options.packBytes()) {
        start(open);
      }
      Map<String, Long> packs = new HashMap<>(tail.packs());
      packs.putIfAbsent(open.pack.name, 0L); // the manifest is in there, if there are no rows
      return new FinishedCommit(
          store, id, open.pack.name, offset, (long) rows.length + end.length, packs);
    }
  }

  private Upload open(Batch batch) {
    List<Upload> all = waiting.computeIfAbsent(batch, any -> new ArrayList<>());
    Upload last = all.isEmpty() ? null : all.get(all.size() - 1);
    if (last == null || last.done != null) {
      String name = PackNames.pack(batch.version, ids.get());
      last = new Upload(batch, new Pack(name));
      batch.folder.add(last.pack);
      all.add(last);
    }
    return last;
  }

  /** Waits until {@code bytes} more fit, or nothing waits. */
  private void awaitRoom(long bytes) throws IOException {
    if (sealedBytes == 0 || sealedBytes + bytes <= options.maxSealedBytes()) {
      return;
    }
    Mark.SEAL_WAITS_FOR_UPLOADS.hit();
    long start = System.nanoTime();
    try {
      while (sealedBytes > 0 && sealedBytes + bytes > options.maxSealedBytes()) {
        for (List<Upload> all : waiting.values()) {
          for (Upload upload : all) {
            if (upload.failed()) {
              throw new EngineException(ErrorCode.STORAGE,
                  sealedBytes + " bytes of commits wait in memory and cannot be uploaded to "
                      + upload.batch.folder.location(),
                  causeOf(upload));
            }
            start(upload);
          }
        }
        wait(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for uploads");
    } finally {
      stallMillis += TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
  }

  private static Throwable causeOf(Upload upload) {
    return upload.done.handle((nothing, error) -> error).join();
  }

  /** Closes the pack and hands it to a thread, unless that was done. */
  private void start(Upload upload) {
    if (upload.done == null || upload.failed()) {
      Mark.UPLOAD_TRIED_AGAIN.hitIf(upload.done != null);
      upload.pack.close();
      upload.done = CompletableFuture.runAsync(() -> run(upload), threads);
    }
  }

  private void run(Upload upload) {
    try {
      FailPoints.hit("upload.before-publish");
      upload.pack.writeTo(upload.batch.folder);
      FailPoints.hit("upload.after-publish");
      durable(upload);
    } catch (IOException | RuntimeException e) {
      synchronized (this) {
        failures++;
        notifyAll();
      }
      throw StorageErrors.cannot(
          "upload " + upload.batch.folder.location() + "/" + upload.pack.name, e);
    }
  }

  private synchronized void durable(Upload upload) {
    long bytes = upload.pack.length();
    uploads++;
    uploadedBytes += bytes;
    lagMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - upload.startNanos);
    if (remove(upload)) {
      kept.addLast(new Kept(upload.batch.folder, upload.pack));
      keptBytes += bytes;
      while (keptBytes > options.keptBytes()) {
        Kept eldest = kept.removeFirst();
        eldest.folder.evict(eldest.pack);
        keptBytes -= eldest.pack.length();
      }
    }
  }

  /** False if it was dropped. */
  private boolean remove(Upload upload) {
    List<Upload> all = waiting.get(upload.batch);
    if (all == null || !all.remove(upload)) {
      Mark.UPLOAD_OF_FORGOTTEN.hit();
      return false;
    }
    if (all.isEmpty()) {
      waiting.remove(upload.batch);
    }
    sealedBytes -= upload.pack.length();
    notifyAll();
    return true;
  }

  /** Starts the upload of all that is sealed of a batch; done when it is durable. */
  public synchronized CompletableFuture<Void> flush(BatchPacks folder, String owner, long version) {
    return flush(waiting.getOrDefault(new Batch(folder, owner, version), List.of()));
  }

  /** The same for all that is sealed. */
  public synchronized CompletableFuture<Void> flushAll() {
    return flush(waiting.values().stream().flatMap(List::stream).toList());
  }

  private CompletableFuture<Void> flush(List<Upload> all) {
    all.forEach(this::start);
    return CompletableFuture.allOf(
        all.stream().map(upload -> upload.done).toArray(CompletableFuture[] ::new));
  }

  /** Forgets what other runs have left: nobody will record their batches. */
  public synchronized void keepOnly(BatchPacks folder, String owner) {
    List<Upload> stale = new ArrayList<>();
    waiting.forEach((batch, all) -> {
      if (batch.folder == folder && !batch.owner.equals(owner)) {
        stale.addAll(all);
      }
    });
    Mark.STALE_COMMITS_FORGOTTEN.hitIf(!stale.isEmpty());
    for (Upload upload : stale) {
      upload.pack.close();
      remove(upload);
      folder.evict(upload.pack);
    }
  }

  public synchronized UploadMetrics metrics() {
    return new UploadMetrics(
        sealedBytes, keptBytes, uploads, uploadedBytes, failures, stallMillis, lagMillis);
  }

  /** Stops; what was not flushed is lost. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
