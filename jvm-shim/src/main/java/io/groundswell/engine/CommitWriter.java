package io.groundswell.engine;

import io.groundswell.checkpoint.CommitSpace;
import io.groundswell.checkpoint.Destination;
import io.groundswell.memtable.MemTable;
import io.groundswell.sst.SstOptions;
import io.groundswell.sst.WrittenBlocks;
import io.groundswell.storage.FailPoints;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import io.groundswell.storage.StorageErrors;
import io.groundswell.version.OpenTables;
import io.groundswell.version.Run;
import java.io.IOException;
import java.util.Set;

/**
 * Writes the commits of one store: into an object that others share, made durable later, where that
 * may be; else into an object of its own, published in one step.
 *
 * @param space where commits may be beside the folder; null: nowhere
 */
record CommitWriter(ObjectStore folder, CommitSpace space, SstOptions options, OpenTables tables) {
  /**
   * What was written.
   *
   * @param shared whether it is in an object that others share
   * @param sparse objects that are mostly dead, and had better be left
   */
  record Written(CommitRegion.Sealed sealed, boolean shared, Set<String> sparse) {}

  /**
   * Rows are in files already, or else in the mem-table. A null {@code to} leaves it to the space.
   */
  Written write(CommitPlan plan, Run spilled, MemTable batch, long batchBytes, Destination to) {
    try {
      Destination into = to != null ? to
          : space == null           ? Destination.ALONE
                                    : space.destination(plan.number());
      WrittenBlocks kept = tables.keepCommit();
      if (spilled == null && into.packs(batchBytes)) {
        CommitFinisher.Shared shared =
            CommitFinisher.pack(into, options, plan, batch, batchBytes, kept);
        tables.put(folder, kept);
        return new Written(shared.sealed(), true, shared.sparse());
      }
      Mark.COMMIT_APART_FROM_PACK.hitIf(into != Destination.ALONE && into != Destination.PENDING);
      CommitRegion.Sealed sealed = publish(plan, spilled, batch, kept, into);
      tables.put(folder, kept);
      Set<String> sparse =
          into.published(plan.id(), sealed.bytes(), CommitFinisher.packs(sealed.version()));
      return new Written(sealed, false, sparse);
    } catch (IOException e) {
      throw StorageErrors.cannot("commit version " + plan.number() + " of " + folder.location(), e);
    }
  }

  private CommitRegion.Sealed publish(CommitPlan plan, Run spilled, MemTable batch,
      WrittenBlocks kept, Destination into) throws IOException {
    String name = plan.objectName();
    try (ObjectWriter out = into.create(folder, name)) {
      CommitRegion.Place place = new CommitRegion.Place(name, 0);
      CommitRegion.Sealed sealed = spilled != null
          ? CommitRegion.write(out, place, plan, spilled)
          : CommitRegion.write(out, place, options, plan, batch, kept);
      FailPoints.hit("commit.before-publish");
      out.commit();
      FailPoints.hit("commit.after-publish");
      return sealed;
    }
  }
}
