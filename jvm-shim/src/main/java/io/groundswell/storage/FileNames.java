package io.groundswell.storage;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** Every name the engine writes: {@code <version>-<id>.commit} and {@code <version>-<id>.sst}. */
public final class FileNames {
  public static final String COMMIT_SUFFIX = ".commit";
  public static final String SST_SUFFIX = ".sst";

  /** Objects that hold the commits of many stores; they stand in a folder of their own. */
  public static final String PACK_SUFFIX = ".pack";

  private static final int VERSION_DIGITS = 20;
  private static final int ID_DIGITS = 20;
  private static final String DECIMALS = "0123456789";
  private static final String HEX = DECIMALS + "abcdef";

  private static final Pattern ID = Pattern.compile("[0-9a-f]{20}");

  private static final Pattern OBJECT = Pattern.compile("\\d{20}-[0-9a-f]{20}\\.(commit|sst|pack)");

  /** Before the folder and the name of a file that is another store's. */
  private static final char ELSEWHERE = '@';

  private FileNames() {}

  /**
   * A name taken apart.
   *
   * @param version of a commit: the one it made; of a compaction result: the first that may refer
   *     to it
   * @param id tells attempts at one version apart; a later attempt's is greater
   * @param commit whether it is a commit object
   */
  public record Parsed(long version, String id, boolean commit) {
    /** The whole name again. */
    public String name() {
      return commit ? FileNames.commit(version, id) : FileNames.sst(version, id);
    }
  }

  public static String commit(long version, String id) {
    return name(version, id, COMMIT_SUFFIX);
  }

  public static String sst(long version, String id) {
    return name(version, id, SST_SUFFIX);
  }

  /** What the names of all files of a version start with. */
  public static String versionPrefix(long version) {
    if (version < 0) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT, "version " + version + " is negative");
    }
    return padded(Long.toString(version), VERSION_DIGITS) + '-';
  }

  private static String name(long version, String id, String suffix) {
    if (!ID.matcher(id).matches()) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "'" + id + "' is not a file id: 20 lower-case hex digits wanted");
    }
    return versionPrefix(version) + id + suffix;
  }

  /** A new id: the time in 12 hex digits, so ids sort by age, and 8 random ones. */
  public static String newId(long nowMillis) {
    return newId(nowMillis, ThreadLocalRandom.current().nextInt());
  }

  /** As above, with that end. */
  public static String newId(long nowMillis, int random) {
    return padded(Long.toHexString(nowMillis & 0xFFFF_FFFF_FFFFL), 12)
        + padded(Integer.toHexString(random), 8);
  }

  private static String padded(String digits, int length) {
    return "0".repeat(length - digits.length()) + digits;
  }

  /** The time in an id. */
  public static long millisOf(String id) {
    return Long.parseLong(id.substring(0, 12), 16);
  }

  /**
   * Takes a name apart; null if it is none of the engine's. Without a pattern: a process that opens
   * a store does this with each file there, by code that is not compiled yet.
   */
  public static Parsed parse(String name) {
    boolean commit = name.endsWith(COMMIT_SUFFIX);
    if (!commit && !name.endsWith(SST_SUFFIX)) {
      return null;
    }
    int end = name.length() - (commit ? COMMIT_SUFFIX : SST_SUFFIX).length();
    if (end != VERSION_DIGITS + 1 + ID_DIGITS || name.charAt(VERSION_DIGITS) != '-'
        || !hasOnly(name, 0, VERSION_DIGITS, DECIMALS)
        || !hasOnly(name, VERSION_DIGITS + 1, end, HEX)) {
      return null;
    }
    try {
      long version = Long.parseLong(name, 0, VERSION_DIGITS, 10);
      return new Parsed(version, name.substring(VERSION_DIGITS + 1, end), commit);
    } catch (NumberFormatException tooLarge) {
      return null;
    }
  }

  private static boolean hasOnly(String name, int from, int to, String digits) {
    for (int i = from; i < to; i++) {
      if (digits.indexOf(name.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * True of a name that a manifest may refer to: it leads into its folder, or into another one
   * below what all stores are in.
   */
  public static boolean isObject(String name) {
    if (!isElsewhere(name)) {
      return OBJECT.matcher(name).matches();
    }
    return OBJECT.matcher(nameIn(name)).matches()
        && Arrays.stream(folderOf(name).split("/", -1))
               .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
  }

  /**
   * The name by which a manifest of another store refers to a file.
   *
   * @param folder of the file, from what all stores are in
   */
  public static String elsewhere(String folder, String name) {
    return isElsewhere(name) ? name : ELSEWHERE + folder + "/" + name;
  }

  /** Whether the file is another store's. */
  public static boolean isElsewhere(String name) {
    return !name.isEmpty() && name.charAt(0) == ELSEWHERE;
  }

  /** The folder of a file that is another store's, from what all stores are in. */
  public static String folderOf(String elsewhere) {
    return elsewhere.substring(1, Math.max(1, elsewhere.lastIndexOf('/')));
  }

  /** The name of such a file in its folder. */
  public static String nameIn(String elsewhere) {
    return elsewhere.substring(elsewhere.lastIndexOf('/') + 1);
  }

  /** True if it is the id of a commit. */
  public static boolean isId(String id) {
    return ID.matcher(id).matches();
  }

  /** True if an object of this name never changes, so that open handles may be kept. */
  static boolean isImmutable(String name) {
    return name.endsWith(COMMIT_SUFFIX) || name.endsWith(SST_SUFFIX) || name.endsWith(PACK_SUFFIX);
  }
}
