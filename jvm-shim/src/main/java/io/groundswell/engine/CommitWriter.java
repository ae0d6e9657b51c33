package io.groundswell.engine;

import io.groundswell.memtable.MemTable;
import io.groundswell.memtable.MemTableCursor;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstOptions;
import io.groundswell.sst.SstWriter;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import io.groundswell.version.Catalogue;
import io.groundswell.version.CommitFooter;
import io.groundswell.version.ManifestCodec;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import io.groundswell.version.VersionInvariants;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Writes a batch as one object: SST section if there are rows, then manifest and footer. */
final class CommitWriter {
  /** What was written. */
  record Written(Version version, long bytes, int rows) {}

  private CommitWriter() {}

  /**
   * Makes a version durable.
   *
   * @param below the version that the batch stands on
   * @param runs its sub-levels, merges taken in
   */
  static Written write(ObjectStore folder, SstOptions options, String id, Version below,
      List<Run> runs, long safeEpoch, Catalogue tables, MemTable batch) throws IOException {
    long number = below.number() + 1;
    String name = FileNames.commit(number, id);
    try (ObjectWriter out = folder.create(name)) {
      SstInfo sst = writeRows(out, options, name, tables, batch);
      List<Run> newRuns = new ArrayList<>();
      if (sst != null) {
        newRuns.add(Run.of(sst));
      }
      newRuns.addAll(runs);
      Version version = new Version(number, id, below.id(), safeEpoch, newRuns, tables);
      String violation = VersionInvariants.violation(version);
      if (violation != null) {
        throw new IllegalStateException("refusing to commit version " + number + " of "
            + folder.location() + ": it has " + violation);
      }
      long dataBytes = sst == null ? 0 : sst.length();
      byte[] end = CommitFooter.seal(ManifestCodec.encode(version), dataBytes);
      out.write(end, 0, end.length);
      FailPoints.hit("commit.before-publish");
      out.commit();
      FailPoints.hit("commit.after-publish");
      return new Written(version, dataBytes + end.length, sst == null ? 0 : (int) sst.entries());
    }
  }

  private static SstInfo writeRows(OutputStream out, SstOptions options, String name,
      Catalogue tables, MemTable batch) throws IOException {
    SstWriter sst = null;
    for (int tableId : batch.tableIds()) {
      MemTableCursor rows = batch.cursor(tableId);
      if (rows == null) {
        continue;
      }
      for (rows.seekToFirst(); rows.valid; rows.next()) {
        if (sst == null) {
          sst = new SstWriter(out, 0, options, tables::layout);
        }
        sst.add(
            rows.key, rows.keyLength, rows.delete, rows.value, rows.valueOffset, rows.valueLength);
      }
      rows.close();
    }
    return sst == null ? null : sst.finish(name);
  }
}
