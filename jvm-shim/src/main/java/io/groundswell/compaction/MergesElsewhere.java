package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.version.Version;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;

/**
 * Merges of a store that another process writes. Nothing of that store changes: each result is told
 * to its writer, which takes it in with a commit, or does not.
 */
public final class MergesElsewhere {
  private final ObjectStore folder;
  private final Compactor compactor;
  private final CompactionOptions options;
  private final LongFunction<String> newFileName;

  /**
   * @param newFileName names a file for the first version that may refer to it
   */
  public MergesElsewhere(ObjectStore folder, Compactor compactor, CompactionOptions options,
      LongFunction<String> newFileName) {
    this.folder = folder;
    this.compactor = compactor;
    this.options = options;
    this.newFileName = newFileName;
  }

  /**
   * Does one merge that is due, if any.
   *
   * @param told results that the writer was told of; what they read is not merged again
   * @param cancelled makes the merge stop with a {@link CancellationException}
   */
  public Optional<MergeRecord> next(
      Version version, List<MergeRecord> told, BooleanSupplier cancelled) throws IOException {
    InFlight busy = InFlight.of(told.stream()
            .map(record -> record.pick(version.levels()))
            .filter(Objects::nonNull)
            .toList());
    Optional<CompactionTask> due =
        CompactionPicker.pick(version.levels(), busy, options, version.number())
            .map(pick -> CompactionTask.of(version, pick, options, version.number()));
    return due.isEmpty() ? Optional.empty() : Optional.of(merge(due.get(), cancelled));
  }

  private MergeRecord merge(CompactionTask task, BooleanSupplier cancelled) throws IOException {
    Set<String> created = new HashSet<>();
    boolean done = false;
    try {
      MergeRecord record = MergeRecord.of(compactor.run(task, () -> {
        String name = newFileName.apply(task.base().number() + 1);
        created.add(name);
        return name;
      }, cancelled));
      done = true;
      return record;
    } finally {
      if (!done) {
        Mark.MERGE_ELSEWHERE_FAILED.hit();
        MergedFiles.delete(folder, created); // what stays goes with a retirement
      }
    }
  }

  /** Deletes the files of a result that nobody was told of. */
  public void discard(MergeRecord record) throws IOException {
    IOException failed =
        MergedFiles.delete(folder, record.files().stream().map(SstInfo::fileName).toList());
    if (failed != null) {
      throw failed;
    }
  }
}
