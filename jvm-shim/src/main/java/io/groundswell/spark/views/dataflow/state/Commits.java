package io.groundswell.spark.views.dataflow.state;

import io.groundswell.spark.views.contract.commits.CommitRef;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The commits of a state, by partition. */
public final class Commits {
  private static final CommitRef NONE = new CommitRef(0, null, 0, 0);

  private Commits() {}

  /** Those of one state, or null if the epoch does not know the state yet. */
  public static List<CommitRef> of(
      Map<String, List<CommitRef>> epoch, String state, int partitions) {
    List<CommitRef> entries = epoch.get(state);
    if (entries != null && entries.size() != partitions) {
      throw new IllegalArgumentException("state \"" + state + "\" was written with "
          + entries.size() + " partitions and is to be continued with " + partitions
          + ": start with the number of partitions the pipeline began with");
    }
    return entries;
  }

  /** Those of a state that was never written. */
  public static List<CommitRef> none(int partitions) {
    return Collections.nCopies(partitions, NONE);
  }
}
