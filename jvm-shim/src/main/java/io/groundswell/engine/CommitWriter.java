package io.groundswell.engine;

import io.groundswell.checkpoint.CommitSpace;
import io.groundswell.checkpoint.DeferredCommit;
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

  /** What takes a commit into a pack; null if it is not to be in one. */
  CommitSpace.PackEnd packEnd(Run spilled, long batchBytes) {
    try {
      return space == null || spilled != null ? null : space.packEnd(batchBytes);
    } catch (IOException e) {
      throw StorageErrors.cannot("commit to " + folder.location(), e);
    }
  }

  /** Rows are in files already, or else in the mem-table. */
  Written write(
      CommitPlan plan, Run spilled, MemTable batch, long batchBytes, CommitSpace.PackEnd end) {
    if (end != null) {
      return new Written(pack(plan, batch, end), true, Set.of());
    }
    DeferredCommit deferral = space == null ? null : space.deferral(plan.number());
    try {
      if (deferral != null && spilled == null && batchBytes <= deferral.maxBytes()) {
        CommitFinisher.Shared shared = CommitFinisher.seal(deferral, options, plan, batch);
        return new Written(shared.sealed(), true, shared.sparse());
      }
      Mark.COMMIT_APART_FROM_PACK.hitIf(deferral != null);
      WrittenBlocks kept = tables.keepCommit();
      CommitRegion.Sealed sealed = publish(plan, spilled, batch, kept);
      tables.put(folder, kept);
      Set<String> sparse = deferral == null
          ? Set.of()
          : deferral.published(plan.id(), sealed.bytes(), CommitFinisher.packs(sealed.version()));
      return new Written(sealed, false, sparse);
    } catch (IOException e) {
      throw StorageErrors.cannot("commit version " + plan.number() + " of " + folder.location(), e);
    }
  }

  private CommitRegion.Sealed pack(CommitPlan plan, MemTable batch, CommitSpace.PackEnd end) {
    try {
      WrittenBlocks kept = tables.keepCommit();
      CommitRegion.Sealed sealed = CommitFinisher.pack(end, options, plan, batch, kept);
      tables.put(folder, kept);
      return sealed;
    } catch (IOException e) { // none to memory
      throw new IllegalStateException(e);
    }
  }

  private CommitRegion.Sealed publish(
      CommitPlan plan, Run spilled, MemTable batch, WrittenBlocks kept) throws IOException {
    String name = plan.objectName();
    try (ObjectWriter out = folder.create(name)) {
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
