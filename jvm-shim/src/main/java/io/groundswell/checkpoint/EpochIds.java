package io.groundswell.checkpoint;

import io.groundswell.storage.FileNames;

/**
 * Ids of packs of a pipeline's epochs, which all commits in a pack have: {@code 00}, a digit for
 * the group, the epoch in 9 hex digits, 8 random ones. So an id tells that a commit is in a pack,
 * and in which; ids of other objects begin with the time, which has not begun with 00 since 2004.
 */
public final class EpochIds {
  /** What readers may name by an epoch: views and indexes. */
  public static final int READABLE = 0;

  /** What only the next barrier reads: operators' own state. */
  public static final int OWN = 1;

  private static final String MARK = "00";
  private static final int LENGTH = 20;
  private static final int EPOCH_FROM = 3;
  private static final int EPOCH_TO = 12;

  private EpochIds() {}

  public static String id(int group, long epoch, int random) {
    if (group < 0 || group > 15 || epoch < 0 || epoch >= 1L << 36) {
      throw new IllegalArgumentException("group " + group + ", epoch " + epoch);
    }
    return String.format("%s%x%09x%08x", MARK, group, epoch, random);
  }

  /** True if a commit of this id is in a pack of an epoch. */
  public static boolean isPacked(String id) {
    return id.length() == LENGTH && id.startsWith(MARK) && FileNames.isId(id);
  }

  public static int groupOf(String id) {
    return Character.digit(id.charAt(MARK.length()), 16);
  }

  public static long epochOf(String id) {
    return Long.parseLong(id, EPOCH_FROM, EPOCH_TO, 16);
  }

  /** The name of the pack that commits of this id are in. */
  public static String packOf(String id) {
    return PackNames.pack(epochOf(id), id);
  }

  /** The id of a pack of an epoch; null if it is the name of something else. */
  public static String idOf(String name) {
    PackNames.Parsed parsed = PackNames.parse(name);
    boolean is = parsed != null && parsed.kind() == PackNames.Kind.PACK && isPacked(parsed.id())
        && packOf(parsed.id()).equals(name);
    return is ? parsed.id() : null;
  }
}
