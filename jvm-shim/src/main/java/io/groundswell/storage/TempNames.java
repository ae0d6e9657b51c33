package io.groundswell.storage;

import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** Names of objects that are being written; listings hide them. */
final class TempNames {
  private static final String SUFFIX = ".gstmp";
  private static final Pattern NAME = Pattern.compile("\\..+\\.[0-9a-f]{16}\\.gstmp");

  private TempNames() {}

  /** A name that no other attempt takes. */
  static String forObject(String name) {
    return String.format(
        Locale.ROOT, ".%s.%016x%s", name, ThreadLocalRandom.current().nextLong(), SUFFIX);
  }

  static boolean isTemporary(String name) {
    return NAME.matcher(name).matches();
  }
}
