package io.groundswell.checkpoint;

import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Deletes packs and indexes that no retained version needs. Run by the owner of the checkpoint
 * alone: a store cannot know who else has commits in a pack.
 */
public final class PackRetention {
  private PackRetention() {}

  /**
   * What may go.
   *
   * @param names of all objects in the folder of packs
   * @param needed packs that indexes of retained versions list, and the newest index below
   * @param oldest the oldest retained version
   */
  static List<String> deletable(List<String> names, Set<String> needed, long oldest) {
    long base = baseIndex(names, oldest);
    List<String> result = new ArrayList<>();
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed == null || parsed.number() >= oldest) {
        continue;
      }
      boolean kept =
          parsed.kind() == PackNames.Kind.PACK ? needed.contains(name) : parsed.number() == base;
      if (!kept) {
        result.add(name);
      }
    }
    return result;
  }

  /**
   * The newest version with an index below the retained ones, or the oldest retained if it has one.
   * A version without an index was committed without packs of its own, so it needs none but those
   * that the newest indexed version below it needs.
   */
  static long baseIndex(List<String> names, long oldest) {
    long base = -1;
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed != null && parsed.kind() == PackNames.Kind.INDEX && parsed.number() <= oldest) {
        base = Math.max(base, parsed.number());
      }
    }
    return base;
  }

  /** Deletes it; returns how many objects. */
  public static int run(PackFolder folder, long oldest) throws IOException {
    List<String> names = folder.list("").stream().map(ObjectInfo::name).toList();
    long base = baseIndex(names, oldest);
    Set<String> needed = new HashSet<>();
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed != null && parsed.kind() == PackNames.Kind.INDEX
          && (parsed.number() >= oldest || parsed.number() == base)) {
        needed.addAll(folder.index(name).packs());
      }
    }
    int deleted = 0;
    for (String name : deletable(names, needed, oldest)) {
      if (folder.delete(name)) {
        deleted++;
      }
    }
    return deleted;
  }
}
