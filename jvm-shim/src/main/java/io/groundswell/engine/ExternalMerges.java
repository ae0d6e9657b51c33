package io.groundswell.engine;

import io.groundswell.compaction.BackgroundCompaction;
import io.groundswell.compaction.MergeRecord;
import io.groundswell.compaction.MergesElsewhere;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.sst.SstInfo;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Merges by another process than the one that writes a store. That one does the work and writes
 * files that no version refers to; this one takes them in with a commit, as what it merged itself:
 * whatever the other process does, or leaves undone, versions hold.
 */
public final class ExternalMerges {
  private final EpochStore store;
  private final BackgroundCompaction compaction;

  ExternalMerges(EpochStore store, BackgroundCompaction compaction) {
    this.store = store;
    this.compaction = compaction;
  }

  /** For the writer: whether another process merges. Then it does so itself only in need. */
  public void elsewhere(boolean does) {
    compaction.elsewhere(does);
  }

  /**
   * For the writer: takes a result, which the next commit takes in if it still fits. One that is
   * too late is no error.
   *
   * @param record what {@link #next} gave
   */
  public void accept(byte[] record) {
    MergeRecord merged = decode(record);
    try {
      compaction.accept(merged, store.open(merged.number(), merged.id()).version);
    } catch (EngineException e) {
      if (e.code() != ErrorCode.VERSION_UNAVAILABLE) {
        throw e;
      }
    }
  }

  /**
   * For the other process: does a merge that is due in a version.
   *
   * @param told what the writer was told of before
   * @return what the writer is to be told; null if nothing is due
   */
  public byte[] next(long version, String id, List<byte[]> told, BooleanSupplier cancelled) {
    List<MergeRecord> before = told.stream().map(this::decode).toList();
    try {
      return elsewhere()
          .next(store.open(version, id).version, before, cancelled)
          .map(MergeRecord::encode)
          .orElse(null);
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot merge files of " + store.location() + ": " + e, e);
    }
  }

  /** For the other process: deletes the files of a result that the writer was not told of. */
  public void discard(byte[] record) {
    try {
      elsewhere().discard(decode(record));
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot delete files of a merge in " + store.location() + ": " + e, e);
    }
  }

  /** What a merge has read and written. */
  public record Bytes(long read, long written) {}

  /** How large a merge was that {@link #next} did in a version. */
  public Bytes bytes(byte[] record, long version, String id) {
    MergeRecord merged = decode(record);
    return new Bytes(merged.bytesRead(store.open(version, id).version.levels()),
        merged.files().stream().mapToLong(SstInfo::length).sum());
  }

  private MergeRecord decode(byte[] bytes) {
    return MergeRecord.decode("a merge for " + store.location(), bytes);
  }

  private MergesElsewhere elsewhere() {
    return new MergesElsewhere(
        store.folder(), store.compactor(), store.options().compaction(), store::newSstName);
  }
}
