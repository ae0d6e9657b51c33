package io.groundswell.engine;

import io.groundswell.memtable.MemTable;
import io.groundswell.sst.SstOptions;
import io.groundswell.sst.WrittenBlocks;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import io.groundswell.version.Run;
import java.io.IOException;

/** Publishes a commit as an object of its own, in one step: it appears as a whole or not at all. */
final class CommitWriter {
  private CommitWriter() {}

  /** Rows are in files already, or still in the mem-table: then their blocks are kept. */
  static CommitRegion.Sealed write(ObjectStore folder, SstOptions options, CommitPlan plan,
      Run files, MemTable batch, WrittenBlocks kept) throws IOException {
    String name = plan.objectName();
    try (ObjectWriter out = folder.create(name)) {
      CommitRegion.Place place = new CommitRegion.Place(name, 0);
      CommitRegion.Sealed sealed = files != null
          ? CommitRegion.write(out, plan, files)
          : CommitRegion.write(out, place, options, plan, batch, kept);
      FailPoints.hit("commit.before-publish");
      out.commit();
      FailPoints.hit("commit.after-publish");
      return sealed;
    }
  }
}
