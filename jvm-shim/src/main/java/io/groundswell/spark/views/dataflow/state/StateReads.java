package io.groundswell.spark.views.dataflow.state;

import io.groundswell.engine.Snapshot;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.StateCommits;
import io.groundswell.spark.views.operator.lookup.IndexLayout;
import io.groundswell.spark.views.operator.lookup.PointRead;
import io.groundswell.storage.FileNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;

/** Small reads of kept tables by the process that asks, without a Spark job. */
public final class StateReads {
  private StateReads() {}

  /**
   * Rows of one key of a view, or of an index.
   *
   * @param index how the index keeps its rows; null: a view
   */
  public static List<InternalRow> rows(
      StateCommits state, PointRead key, IndexLayout index, int fields, Configuration conf) {
    List<CommitRef> refs = state.commits();
    int partition = key.partition(refs.size());
    CommitRef commit = refs.get(partition);
    if (commit.version() == 0) {
      return List.of();
    }
    try (Snapshot snapshot = open(state.folder(), partition, commit, conf)) {
      return index != null ? key.ofIndex(snapshot, index) : key.ofView(snapshot, fields);
    }
  }

  /** Rows and index keys among the first {@code limit} rows of an index's largest partition. */
  public static long[] sample(StateCommits state, int limit, Configuration conf) {
    List<CommitRef> refs = state.commits();
    int largest = 0;
    for (int i = 1; i < refs.size(); i++) {
      largest = refs.get(i).rows() > refs.get(largest).rows() ? i : largest;
    }
    if (refs.isEmpty() || refs.get(largest).version() == 0) {
      return new long[2];
    }
    try (Snapshot snapshot = open(state.folder(), largest, refs.get(largest), conf)) {
      return PointRead.sample(snapshot, limit);
    }
  }

  /** Hash of an index key → number of its rows, about, of keys with at least that many. */
  public static Map<Integer, Long> frequent(StateCommits state, long least, Configuration conf) {
    List<CommitRef> refs = state.commits();
    Map<Integer, Long> found = new LinkedHashMap<>();
    for (int partition = 0; partition < refs.size(); partition++) {
      CommitRef commit = refs.get(partition);
      if (commit.version() > 0 && commit.rows() >= least) {
        try (Snapshot snapshot = open(state.folder(), partition, commit, conf)) {
          PointRead.frequent(snapshot).forEach((hash, rows) -> {
            if (rows >= least) {
              found.put(hash, rows);
            }
          });
        }
      }
    }
    return found;
  }

  /** The folders of other generations of states that files of these commits are in. */
  public static Set<String> generations(StateCommits state, Configuration conf) {
    Set<String> found = new TreeSet<>();
    for (int partition = 0; partition < state.commits().size(); partition++) {
      CommitRef commit = state.commits().get(partition);
      if (commit.version() == 0) {
        continue;
      }
      Set<String> files;
      try {
        files = StoreRegistry.get(state.folder() + "/" + partition, conf)
                    .filesOf(commit.version(), commit.id());
      } catch (EngineException e) {
        if (e.code() == ErrorCode.VERSION_UNAVAILABLE) {
          continue;
        }
        throw e;
      }
      for (String file : files) {
        if (FileNames.isElsewhere(file)) {
          String folder = FileNames.folderOf(file);
          found.add(folder.substring(0, folder.indexOf('/')));
        }
      }
    }
    return found;
  }

  private static Snapshot open(String folder, int partition, CommitRef at, Configuration conf) {
    return StoreRegistry.get(folder + "/" + partition, conf).snapshot(at.version(), at.id());
  }
}
