package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.Mark;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * What the driver knows of one run's commits: which are sealed where, and which batches may be
 * recorded. Safe for many threads; only {@link #release} does I/O.
 */
public final class RunLedger {
  /**
   * Asks an executor to make what it has sealed of a version durable; fails with {@link
   * ExecutorGone} if its process is no more.
   */
  public interface Flusher {
    CompletableFuture<Void> flush(String executor, String owner, long version);
  }

  private static final int NAMED = 8;

  private record Sealed(String executor, FinishedCommit commit) {}

  private static final class Batch {
    final List<Sealed> commits = new ArrayList<>();
    boolean replaceable = true;
  }

  private final BatchPacks folder;
  private final Ownership owner;

  // All guarded by this.
  private final TreeMap<Long, Batch> open = new TreeMap<>();
  private long released;
  private Set<String> sparse = Set.of();

  /** For the versions above {@code released}, which the run has recorded without a ledger. */
  public RunLedger(BatchPacks folder, Ownership owner, long released) {
    this.folder = folder;
    this.owner = owner;
    this.released = released;
  }

  public Ownership owner() {
    return owner;
  }

  public BatchPacks folder() {
    return folder;
  }

  /**
   * Notes a commit.
   *
   * @param version that it made
   * @param executor that holds it
   * @param replaceable whether another commit of the same store and version is as good
   * @return of the packs that it needs those that had better be left
   */
  public synchronized Set<String> register(
      long version, String executor, FinishedCommit commit, boolean replaceable) {
    if (version <= released) {
      throw refused(version, commit,
          "version " + released + " is recorded already: this is a task "
              + "of an attempt that nobody waits for");
    }
    if (!open.isEmpty() && open.firstKey() < version) {
      throw refused(version, commit,
          "version " + open.firstKey()
              + " is not recorded yet, and batches must not overtake each other");
    }
    Batch batch = open.computeIfAbsent(version, any -> new Batch());
    batch.commits.add(new Sealed(executor, commit));
    batch.replaceable &= replaceable;
    Set<String> leave = new HashSet<>(commit.packs().keySet());
    leave.retainAll(sparse);
    return leave;
  }

  /** From now on stores that have something in these packs are asked to write it anew. */
  public synchronized void leave(Set<String> mostlyDead) {
    sparse = Set.copyOf(mostlyDead);
  }

  private EngineException refused(long version, FinishedCommit commit, String why) {
    return new EngineException(ErrorCode.ILLEGAL_STATE,
        "commit " + commit.id() + " of version " + version + " of store " + commit.store()
            + " is refused: " + why);
  }

  /**
   * Returns when all commits of a version are durable and can be found: it may be recorded.
   *
   * @return false if there were none; even so the driver must not have been replaced
   */
  public boolean release(long version, Flusher flusher) throws IOException, InterruptedException {
    Batch batch;
    synchronized (this) {
      batch = open.remove(version);
      if (batch != null) {
        released = version; // from here on nobody adds to it
      }
    }
    if (batch == null) {
      owner.check();
      return false;
    }
    List<Sealed> all = List.copyOf(batch.commits);
    boolean replaceable = batch.replaceable;
    FailPoints.hit("release.before-flush");
    Map<String, CompletableFuture<Void>> flushes = new LinkedHashMap<>();
    for (Sealed sealed : all) {
      if (sealed.commit.pack() != null) {
        flushes.computeIfAbsent(
            sealed.executor, executor -> flusher.flush(executor, owner.id(), version));
      }
    }
    owner.check(); // while the uploads run
    // Places are known before packs are there, and who finds an index of a batch that was never
    // recorded runs that batch again.
    String index = PackNames.index(version, owner.id());
    FailPoints.hit("index.before-publish");
    folder.put(index, indexOf(version, all.stream().map(Sealed::commit).toList()));
    FailPoints.hit("index.after-publish");
    Map<String, Throwable> failed = new LinkedHashMap<>();
    for (Map.Entry<String, CompletableFuture<Void>> flush : flushes.entrySet()) {
      try {
        flush.getValue().get();
      } catch (ExecutionException e) {
        failed.put(flush.getKey(), e.getCause());
      }
    }
    List<FinishedCommit> durable;
    try {
      durable = durable(version, all, failed, replaceable);
    } catch (EngineException e) {
      folder.delete(index); // it names what is not there
      throw e;
    }
    if (durable.size() < all.size()) {
      folder.put(index, indexOf(version, durable));
    }
    FailPoints.hit("release.after-flush");
    return true;
  }

  private byte[] indexOf(long version, List<FinishedCommit> commits) {
    return PackIndexFile.encode(version, owner.id(), commits);
  }

  /** The commits that storage holds; raises {@code CHECKPOINT_LOST} if one is missed. */
  private List<FinishedCommit> durable(long version, List<Sealed> all,
      Map<String, Throwable> failed, boolean replaceable) throws IOException {
    Map<String, Long> lengths = new LinkedHashMap<>();
    List<FinishedCommit> durable = new ArrayList<>();
    List<Sealed> lost = new ArrayList<>();
    Set<String> saved = new HashSet<>();
    for (Sealed sealed : all) {
      FinishedCommit commit = sealed.commit;
      boolean whole = commit.pack() == null || !failed.containsKey(sealed.executor)
          || commit.offset() + commit.length() <= lengthOf(commit.pack(), lengths);
      Mark.PACK_THERE_AFTER_ALL.hitIf(
          whole && commit.pack() != null && failed.containsKey(sealed.executor));
      if (whole) {
        durable.add(commit);
        saved.add(commit.store());
      } else {
        lost.add(sealed);
      }
    }
    if (replaceable) {
      // An executor that lives would build on its own attempt, which is not what storage has.
      boolean saves = lost.removeIf(sealed
          -> saved.contains(sealed.commit.store())
              && failed.get(sealed.executor) instanceof ExecutorGone);
      Mark.COMMIT_LOST_AND_SAVED.hitIf(saves);
    }
    if (!lost.isEmpty()) {
      throw lost(version, lost, failed);
    }
    return durable;
  }

  /** What an executor said last may have been lost, and not its pack: only storage knows. */
  private long lengthOf(String pack, Map<String, Long> known) throws IOException {
    Long length = known.get(pack);
    if (length == null) {
      try {
        length = folder.length(pack);
      } catch (FileNotFoundException e) {
        length = -1L;
      }
      known.put(pack, length);
    }
    return length;
  }

  private EngineException lost(long version, List<Sealed> lost, Map<String, Throwable> failed) {
    Set<String> stores = new TreeSet<>();
    Set<String> executors = new LinkedHashSet<>();
    lost.forEach(sealed -> {
      stores.add(sealed.commit.store());
      executors.add(sealed.executor);
    });
    Throwable cause = failed.get(executors.iterator().next());
    List<String> shown = stores.stream().limit(NAMED).toList();
    return new EngineException(ErrorCode.CHECKPOINT_LOST,
        "batch " + (version - 1) + " cannot be recorded: what executor "
            + String.join(", ", executors) + " had sealed of " + stores.size() + " stores ("
            + String.join(", ", shown) + (shown.size() < stores.size() ? ", ..." : "")
            + ") never reached " + folder.location() + ": " + cause
            + ". Start the query again: it runs this batch again from its own offsets",
        cause);
  }
}
