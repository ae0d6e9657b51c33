package io.groundswell.spark.views.dataflow.state;

import io.groundswell.checkpoint.EpochIds;
import io.groundswell.checkpoint.EpochPackRetention;
import io.groundswell.checkpoint.EpochPackRetention.Bounds;
import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.PackIndex;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.contract.commits.CommitRef;
import io.groundswell.spark.views.contract.commits.RetireRequest;
import io.groundswell.storage.FileNames;
import io.groundswell.version.CommitReader;
import io.groundswell.version.Version;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * Which packs the commits of retained epochs need; deletes the others. For one thread at a time.
 */
public final class PackNeeds {
  private static final long SWEEP_EVERY_MILLIS = 60L * 60 * 1000;
  private static final long LEFTOVER_MILLIS = 24 * SWEEP_EVERY_MILLIS;

  private final String root;
  private final Configuration conf;
  private long swept;

  /** What commits need that are objects of their own, by store and id: it never changes. */
  private Map<String, Set<String>> alone = new HashMap<>();

  public PackNeeds(String root, Configuration conf) {
    this.root = root;
    this.conf = conf;
  }

  /** Deletes packs that nothing in the request needs, nor a later epoch; gives how many. */
  public int retire(RetireRequest request, Bounds bounds, Retiring.Claim claim) throws IOException {
    EpochPacks packs = StoreRegistry.packsOf(root, conf);
    int deleted = EpochPackRetention.run(packs, bounds,
        () -> needed(packs, request), () -> StoreRegistry.filesInUse(root), claim::check);
    long now = System.currentTimeMillis();
    if (now - swept > SWEEP_EVERY_MILLIS) {
      swept = now;
      packs.sweep(now - LEFTOVER_MILLIS);
    }
    return deleted;
  }

  private Set<String> needed(EpochPacks packs, RetireRequest request) throws IOException {
    Set<String> found = new HashSet<>();
    Map<String, Set<String>> now = new HashMap<>();
    forEach(request.newest(), (path, commit) -> add(packs, path, commit, found, now));
    forEach(request.needed(), (path, commit) -> {
      try {
        add(packs, path, commit, found, now);
      } catch (FileNotFoundException e) {
        // Operators' own state of an epoch that is kept for its views alone.
      }
    });
    alone = now;
    return found;
  }

  /** Takes the commit of a store. */
  private interface Taker {
    void take(String path, CommitRef commit) throws IOException;
  }

  private static void forEach(Map<String, List<CommitRef>> commits, Taker taker)
      throws IOException {
    for (Map.Entry<String, List<CommitRef>> state : commits.entrySet()) {
      for (int partition = 0; partition < state.getValue().size(); partition++) {
        CommitRef commit = state.getValue().get(partition);
        if (commit.version() > 0) {
          taker.take(state.getKey() + "/" + partition, commit);
        }
      }
    }
  }

  private void add(EpochPacks packs, String path, CommitRef commit, Set<String> found,
      Map<String, Set<String>> now) throws IOException {
    if (!EpochIds.isPacked(commit.id())) {
      String key = path + " " + commit.id();
      Set<String> needs = alone.containsKey(key) ? alone.get(key) : now.get(key);
      if (needs == null) {
        needs = read(path, commit);
      }
      now.put(key, needs);
      found.addAll(needs);
      return;
    }
    String pack = EpochIds.packOf(commit.id());
    PackIndex.Entry entry = packs.index(pack).last(path);
    if (entry == null || entry.version() != commit.version()) {
      throw new EngineException(ErrorCode.CORRUPTION,
          packs.location() + "/" + pack + " has no version " + commit.version() + " of " + path
              + ", which an epoch names");
    }
    found.add(pack);
    found.addAll(entry.commit().packs().keySet());
  }

  private Set<String> read(String path, CommitRef commit) throws IOException {
    Version version =
        CommitReader.read(StoreRegistry.folderOf(StoreRegistry.folder(root, path), conf),
            commit.version(), commit.id(), -1);
    Set<String> packs = new HashSet<>(version.files());
    packs.removeIf(file -> !file.endsWith(FileNames.PACK_SUFFIX));
    return packs;
  }
}
