package io.groundswell.checkpoint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which commits of which stores are in packs, and where. A pack of a pipeline has its index at its
 * end ({@link PackTrailer}); the packs of a batch of Spark's operators share an object that has it
 * ({@link PackIndexFile}).
 */
public final class PackIndex {
  /** A commit, and the version that it made. */
  public record Entry(long version, FinishedCommit commit) {}

  /** By path of the store, in the order in which they were committed. */
  private final Map<String, List<Entry>> commits;

  private final int size;

  private PackIndex(Map<String, List<Entry>> commits, int size) {
    this.commits = commits;
    this.size = size;
  }

  /**
   * Of commits.
   *
   * @param all those of one store by ascending version; several of one version are attempts
   */
  static PackIndex of(Collection<Entry> all) {
    Map<String, List<Entry>> commits = new HashMap<>();
    for (Entry entry : all) {
      commits.merge(entry.commit().store(), List.of(entry), PackIndex::joined);
    }
    return new PackIndex(commits, all.size());
  }

  private static List<Entry> joined(List<Entry> before, List<Entry> after) {
    List<Entry> both = new ArrayList<>(before);
    both.addAll(after);
    return both;
  }

  /** Number of commits. */
  int size() {
    return size;
  }

  /** Every commit. */
  List<Entry> all() {
    return commits.values().stream().flatMap(List::stream).toList();
  }

  /** All commits of a store. */
  List<Entry> of(String store) {
    return commits.getOrDefault(store, List.of());
  }

  /** The commit of a store's newest version; null if the store has none. */
  public Entry last(String store) {
    List<Entry> all = of(store);
    return all.isEmpty() ? null : all.get(all.size() - 1);
  }

  /** The commit that made a version of a store; null if it is not in there. */
  Entry find(String store, long version) {
    return of(store).stream().filter(entry -> entry.version() == version).findFirst().orElse(null);
  }

  /** The attempt of a store of that id, or for null the one with the greatest id, or null. */
  FinishedCommit attempt(String store, String id) {
    FinishedCommit found = null;
    for (Entry entry : of(store)) {
      FinishedCommit commit = entry.commit();
      if (id == null ? found == null || commit.id().compareTo(found.id()) > 0
                     : commit.id().equals(id)) {
        found = commit;
      }
    }
    return found;
  }

  /** Every pack that these versions need. */
  Set<String> packs() {
    Set<String> packs = new TreeSet<>();
    all().forEach(entry -> packs.addAll(entry.commit().packs().keySet()));
    return packs;
  }

  /** Bytes that the commits have in each pack; of several attempts of a store the newest counts. */
  Map<String, Long> liveBytes() {
    Map<String, Long> live = new HashMap<>();
    commits.keySet().forEach(store
        -> attempt(store, null)
            .packs()
            .forEach((pack, bytes) -> live.merge(pack, bytes, Long::sum)));
    return live;
  }
}
