package io.groundswell.compaction;

import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.MergeCursor;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstOptions;
import io.groundswell.sst.SstReader;
import io.groundswell.sst.SstWriter;
import io.groundswell.sst.WrittenBlocks;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import io.groundswell.version.Run;
import io.groundswell.version.RunReader;
import io.groundswell.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** Runs one merge: reads the inputs, applies retention, writes the files of the result. */
public final class Compactor {
  /** Cancellation is looked at every so many entries. */
  private static final int CHECK_EVERY = 1024;

  private final ObjectStore folder;
  private final SstOptions upper;
  private final SstOptions bottom;
  private final Function<SstInfo, SstReader> tables;
  private final Function<List<SstInfo>, Supplier<WrittenBlocks>> keeps;

  /**
   * Files with nothing below them are written by options of their own.
   *
   * @param keeps gives for a merge's inputs what gives each of its files what keeps its blocks for
   *     the cache; null: they are not kept
   */
  public Compactor(ObjectStore folder, SstOptions upper, SstOptions bottom,
      Function<SstInfo, SstReader> tables, Function<List<SstInfo>, Supplier<WrittenBlocks>> keeps) {
    this.folder = folder;
    this.upper = upper;
    this.bottom = bottom;
    this.tables = tables;
    this.keeps = keeps;
  }

  /**
   * Merges.
   *
   * @param names gives each file of the result its name, before it is created
   * @param cancelled makes the merge stop with a {@link CancellationException}
   */
  CompactionResult run(CompactionTask task, Supplier<String> names, BooleanSupplier cancelled)
      throws IOException {
    Supplier<WrittenBlocks> keep = keeps.apply(task.pick().files());
    return new CompactionResult(
        task, write(task, folder::create, keep, names, cancelled), Map.of());
  }

  /** As above; the result stays in memory, under names that nothing in storage has. */
  CompactionResult carry(CompactionTask task, Supplier<String> names, BooleanSupplier cancelled)
      throws IOException {
    Map<String, byte[]> carried = new HashMap<>();
    List<SstInfo> files =
        write(task, name -> new CarriedFile(name, carried), () -> null, names, cancelled);
    return new CompactionResult(task, files, carried);
  }

  /** Makes a new file of that name. */
  private interface Target {
    ObjectWriter create(String name) throws IOException;
  }

  private List<SstInfo> write(CompactionTask task, Target target, Supplier<WrittenBlocks> keep,
      Supplier<String> names, BooleanSupplier cancelled) throws IOException {
    EntryCursor[] inputs = task.pick()
                               .inputs()
                               .stream()
                               .map(part -> new RunReader(new Run(part.files()), tables).cursor())
                               .toArray(EntryCursor[] ::new);
    MergeCursor merged = new MergeCursor(inputs);
    Retention retention = new Retention(task.base().tables(), task.safeEpoch(), task.bottom());
    Mark.MERGE_AT_THE_BOTTOM.hitIf(task.bottom());
    List<SstInfo> files = new ArrayList<>();
    merged.seekToFirst();
    skipDropped(merged, retention, cancelled);
    Mark.MERGE_LEFT_NOTHING.hitIf(!merged.valid);
    while (merged.valid) {
      check(cancelled); // files of large rows have fewer entries than it takes to look
      WrittenBlocks kept = keep.get();
      files.add(writeFile(merged, retention, task, target, kept, names.get(), cancelled));
      if (kept != null) {
        kept.putInto(tables.apply(kept.info()));
      }
    }
    return files;
  }

  /**
   * Merges runs that no version has yet, as of the version to come, into one.
   *
   * @param base gives the tables, and its number as safe epoch
   * @param bottom whether nothing lies below: then deletes go
   * @param fileBytes size at which the next file is begun
   */
  public Run merge(Version base, List<Run> newestFirst, boolean bottom, long fileBytes,
      Supplier<String> names, BooleanSupplier cancelled) throws IOException {
    List<Pick.Part> parts = newestFirst.stream().map(run -> new Pick.Part(0, run.files())).toList();
    Pick pick = new Pick(Pick.Kind.FULL, parts, 0);
    CutPlan cuts = new CutPlan(List.of(), fileBytes, fileBytes);
    CompactionTask task = new CompactionTask(base, pick, cuts, bottom, base.number());
    return new Run(run(task, names, cancelled).files());
  }

  /** Moves to the first entry that stays, or to the end. */
  private static void skipDropped(MergeCursor in, Retention retention, BooleanSupplier cancelled) {
    for (int n = 1; in.valid && !retention.keeps(in); n++) {
      in.next();
      if (n % CHECK_EVERY == 0) {
        check(cancelled);
      }
    }
  }

  /**
   * Writes from here, an entry that stays, until the plan ends the file before the next row that
   * stays. {@link Retention#keeps} may be asked once for each entry: it stops behind the question.
   */
  private SstInfo writeFile(MergeCursor in, Retention retention, CompactionTask task, Target target,
      WrittenBlocks kept, String name, BooleanSupplier cancelled) throws IOException {
    CutPlan cuts = task.cuts();
    int cut = cuts.after(in.key, in.keyLength);
    try (ObjectWriter out = target.create(name)) {
      SstOptions options = task.bottom() ? bottom : upper;
      SstWriter sst = new SstWriter(out, 0, options, task.base().tables()::layout).keep(kept);
      boolean keep = true;
      do {
        if (keep) {
          sst.add(in.key, in.keyLength, in.delete, in.value, in.valueOffset, in.valueLength);
        }
        in.next();
        if (sst.entries() % CHECK_EVERY == 0) {
          check(cancelled);
        }
        if (!in.valid) {
          break;
        }
        keep = retention.keeps(in);
        if (keep && retention.startsRow()) {
          if (cuts.endsBefore(in.key, in.keyLength, cut, sst.estimatedSize())) {
            break;
          }
          while (cut < cuts.cuts().size() && cuts.isAtOrAbove(in.key, in.keyLength, cut)) {
            cut++;
          }
        }
      } while (true);
      SstInfo info = sst.finish(name);
      FailPoints.hit("compaction.before-publish");
      out.commit();
      return info;
    }
  }

  private static void check(BooleanSupplier cancelled) {
    if (cancelled.getAsBoolean()) {
      Mark.MERGE_CANCELLED.hit();
      throw new CancellationException("the merge was cancelled");
    }
  }
}
