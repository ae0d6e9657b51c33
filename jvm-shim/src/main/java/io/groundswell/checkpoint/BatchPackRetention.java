package io.groundswell.checkpoint;

import io.groundswell.storage.FailPoints;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Deletes packs and indexes that no retained version needs, and finds those that are kept for
 * little. Run by the owner of the checkpoint alone: a store cannot know who else has something in a
 * pack.
 */
public final class BatchPackRetention {
  private static final int BASES = 4;

  /** A pack of which less is alive is worth writing that anew. */
  private static final int SPARSE_PERCENT = 40;

  /** More bytes are not rewritten from one look to the next. */
  private static final long SPARSE_BYTES = 32L << 20;

  private BatchPackRetention() {}

  /**
   * What was done.
   *
   * @param deleted objects
   * @param sparse packs that are mostly dead, and had better be left
   */
  public record Outcome(int deleted, Set<String> sparse) {}

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
   * Packs below the retained versions that the newest one keeps for little: the sparsest first, as
   * many as may be rewritten at once. Younger packs are kept by retention anyway, and most of
   * them die by themselves meanwhile.
   *
   * @param live bytes of each pack that the newest version needs
   */
  static Set<String> sparse(List<ObjectInfo> objects, Map<String, Long> live, long oldest) {
    List<ObjectInfo> candidates = new ArrayList<>();
    for (ObjectInfo object : objects) {
      PackNames.Parsed name = PackNames.parse(object.name());
      if (name != null && name.kind() == PackNames.Kind.PACK && name.number() < oldest
          && live.containsKey(object.name())
          && live.get(object.name()) * 100 < object.length() * SPARSE_PERCENT) {
        Mark.PACK_IS_SPARSE.hit();
        candidates.add(object);
      }
    }
    candidates.sort(Comparator.comparingDouble(
        (ObjectInfo pack) -> (double) live.get(pack.name()) / pack.length()));
    Set<String> sparse = new HashSet<>();
    long bytes = 0;
    for (ObjectInfo pack : candidates) {
      bytes += live.get(pack.name());
      if (bytes > SPARSE_BYTES && !sparse.isEmpty()) {
        break;
      }
      sparse.add(pack.name());
    }
    return sparse;
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

  /** One listing, then deletes what may go. */
  public static Outcome run(BatchPacks folder, long oldest) throws IOException {
    List<ObjectInfo> objects = folder.list("");
    List<String> names = objects.stream().map(ObjectInfo::name).toList();
    Set<Long> bases = baseIndexes(names, oldest);
    Set<String> needed = new HashSet<>();
    String newest = null;
    for (String name : names) {
      PackNames.Parsed parsed = PackNames.parse(name);
      if (parsed != null && parsed.kind() == PackNames.Kind.INDEX
          && (parsed.number() >= oldest || bases.contains(parsed.number()))) {
        needed.addAll(folder.index(name).packs());
        newest = newest == null || name.compareTo(newest) > 0 ? name : newest;
      }
    }
    int deleted = 0;
    for (String name : deletable(names, needed, oldest)) {
      FailPoints.hit("retire.before-delete");
      if (folder.delete(name)) {
        deleted++;
      }
      FailPoints.hit("retire.after-delete");
    }
    return new Outcome(deleted,
        newest == null ? Set.of() : sparse(objects, folder.index(newest).liveBytes(), oldest));
  }
}
