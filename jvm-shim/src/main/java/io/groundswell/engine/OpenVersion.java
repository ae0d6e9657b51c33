package io.groundswell.engine;

import io.groundswell.cache.BlockCache;
import io.groundswell.sst.FetchPlan;
import io.groundswell.storage.ObjectStore;
import io.groundswell.version.OpenTables;
import io.groundswell.version.RunReader;
import io.groundswell.version.Version;

/** A version with the readers of its sub-levels; shared by all who read it. */
final class OpenVersion {
  final Version version;

  /** Newest first. */
  final RunReader[] runs;

  /** As {@link FetchPlan#takesAllAfter}. */
  final long requestsBeforeAll;

  /** Into which the files' blocks go. */
  final BlockCache blocks;

  OpenVersion(Version version, ObjectStore folder, OpenTables tables) {
    this.version = version;
    blocks = tables.blocks();
    requestsBeforeAll =
        FetchPlan.takesAllAfter(version.levels().bytes(), version.levels().usualBatch());
    runs = version.runs()
               .stream()
               .map(run -> new RunReader(run, info -> tables.get(folder, info)))
               .toArray(RunReader[] ::new);
  }
}
