package io.groundswell.checkpoint;

import io.groundswell.storage.FileNames;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names in a checkpoint's folder of packs: {@code <version>-<id>.(pack|index)}. */
public final class PackNames {
  /** The folder of packs, inside the folder that the stores' folders are in. */
  public static final String FOLDER = "_packs";

  /** In which release 0.1 named the run that owns the checkpoint. */
  public static final String OWNER = "owner";

  private static final Pattern NAME = Pattern.compile("(\\d{20})-([0-9a-f]{20})\\.(pack|index)");

  /** What kinds of objects there are. */
  public enum Kind { PACK, INDEX }

  /**
   * A name taken apart.
   *
   * @param number the version that its commits make
   * @param id of an index, that of the owner who wrote it
   */
  public record Parsed(Kind kind, long number, String id) {}

  private PackNames() {}

  public static String pack(long version, String id) {
    return FileNames.versionPrefix(version) + id + FileNames.PACK_SUFFIX;
  }

  public static String index(long version, String owner) {
    return FileNames.versionPrefix(version) + owner + ".index";
  }

  /** Takes a name apart; null if it is none of these. */
  public static Parsed parse(String name) {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      return null;
    }
    Kind kind = matcher.group(3).equals("pack") ? Kind.PACK : Kind.INDEX;
    try {
      return new Parsed(kind, Long.parseLong(matcher.group(1)), matcher.group(2));
    } catch (NumberFormatException tooLarge) {
      return null;
    }
  }
}
