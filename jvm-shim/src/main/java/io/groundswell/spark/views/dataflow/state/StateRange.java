package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Snapshot;
import io.groundswell.spark.views.contract.commits.CommitRef;
import java.util.ArrayList;
import java.util.List;

/**
 * The versions of a partition from one commit to a later one, open.
 *
 * @param before the older one; null: there was none
 * @param commits the versions after it, ascending
 */
record StateRange(Snapshot before, List<Snapshot> commits) implements AutoCloseable {
  static StateRange open(EpochStore store, CommitRef before, CommitRef after) {
    List<Snapshot> commits = new ArrayList<>();
    try {
      String id = after.id();
      for (long version = after.version(); version > before.version() && id != null; version--) {
        Snapshot commit = store.snapshot(version, id);
        commits.add(0, commit);
        id = commit.baseId();
      }
      Snapshot old = before.version() > 0 ? store.snapshot(before.version(), before.id()) : null;
      return new StateRange(old, commits);
    } catch (RuntimeException e) {
      commits.forEach(Snapshot::close);
      throw e;
    }
  }

  @Override
  public void close() {
    commits.forEach(Snapshot::close);
    if (before != null) {
      before.close();
    }
  }
}
