package io.groundswell.storage;

import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Names of objects that are being written; listings hide them. */
final class TempNames {
  private static final String SUFFIX = ".gstmp";

  private TempNames() {}

  /** A name that no other attempt takes. */
  static String forObject(String name) {
    return String.format(
        Locale.ROOT, ".%s.%016x%s", name, ThreadLocalRandom.current().nextLong(), SUFFIX);
  }

  static boolean isTemporary(String name) {
    return name.startsWith(".") && name.endsWith(SUFFIX);
  }
}
