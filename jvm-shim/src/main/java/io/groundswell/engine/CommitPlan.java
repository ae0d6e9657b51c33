package io.groundswell.engine;

import io.groundswell.storage.FileNames;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.util.List;

/**
 * What a commit will be, but for the batch's own rows. Nothing of it is written yet.
 *
 * @param below the version that the batch stands on
 * @param id of this attempt at the next version
 * @param levels all below the batch's own rows, merges taken in
 * @param safeEpoch of the version to be made
 * @param tables of the version to be made, with its counts
 */
record CommitPlan(Version below, String id, Levels levels, long safeEpoch, Catalogue tables) {
  /** The version to be made. */
  long number() {
    return below.number() + 1;
  }

  /** The name of the commit object, where it is one of its own. */
  String objectName() {
    return FileNames.commit(number(), id);
  }

  /** The version with the batch's rows on top; null if it has none. */
  Version version(Run ownRows) {
    Levels all = ownRows == null ? levels : levels.push(List.of(ownRows));
    return new Version(number(), id, below.id(), safeEpoch, all, tables);
  }
}
