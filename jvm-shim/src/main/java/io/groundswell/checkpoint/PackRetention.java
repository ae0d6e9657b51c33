package io.groundswell.checkpoint;

import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Deletes packs and indexes that no retained version needs. Run by the owner of the checkpoint
 * alone: a store cannot know who else has commits in a pack.
 */
public final class PackRetention {
  private static final int BASES = 4;

  private PackRetention() {}

  /**
   * What may go.
   *
   * @param names of all objects in the folder of packs
   * @param needed packs that indexes of retained versions list, and the newest index below
   * @param oldest the oldest retained version
   */
  static List<String> deletable(List<String> names, Set<String> needed, long oldest) {
    Set<Long> bases = baseIndexes(names, oldest);
    List<String> result = new ArrayList<>();
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed == null || parsed.number() >= oldest) {
        continue;
      }
      boolean kept = parsed.kind() == PackNames.Kind.PACK ? needed.contains(name)
                                                          : bases.contains(parsed.number());
      if (!kept) {
        result.add(name);
      }
    }
    return result;
  }

  /**
   * The newest versions with an index below the retained ones, the oldest retained among them. A
   * version without an index was committed without packs of its own, so it needs none but those
   * that the newest indexed version below it needs. Several, since an index may be that of an
   * attempt that was never recorded: its version was then committed again without one.
   */
  static Set<Long> baseIndexes(List<String> names, long oldest) {
    TreeSet<Long> numbers = new TreeSet<>();
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed != null && parsed.kind() == PackNames.Kind.INDEX && parsed.number() <= oldest) {
        numbers.add(parsed.number());
        if (numbers.size() > BASES) {
          numbers.pollFirst();
        }
      }
    }
    return numbers;
  }

  /** Deletes it; returns how many objects. */
  public static int run(PackFolder folder, long oldest) throws IOException {
    List<String> names = folder.list("").stream().map(ObjectInfo::name).toList();
    Set<Long> bases = baseIndexes(names, oldest);
    Set<String> needed = new HashSet<>();
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed != null && parsed.kind() == PackNames.Kind.INDEX
          && (parsed.number() >= oldest || bases.contains(parsed.number()))) {
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
