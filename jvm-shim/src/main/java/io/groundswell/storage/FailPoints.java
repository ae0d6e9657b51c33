package io.groundswell.storage;

import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Named points at which a test lets the process die as by {@code kill -9}. Armed by the system
 * property {@code groundswell.failpoint=name[:nth]} (or {@code GROUNDSWELL_FAILPOINT} in the
 * environment): the nth passage (1 if not given) writes the file named by
 * {@code groundswell.failpoint.marker} ({@code GROUNDSWELL_FAILPOINT_MARKER}), which proves that
 * the point was hit, and halts. A point whose marker is there does not kill again, so that the same
 * configuration can restart. Unarmed, a point costs one comparison of a constant.
 */
public final class FailPoints {
  /** What a halted process exits with: that of one killed by signal 9. */
  public static final int EXIT_CODE = 137;

  private static final String ARMED;
  private static final AtomicInteger LEFT;

  static {
    String spec = setting("groundswell.failpoint");
    int colon = spec == null ? -1 : spec.lastIndexOf(':');
    ARMED = spec == null || spec.isEmpty() ? null : colon < 0 ? spec : spec.substring(0, colon);
    LEFT = new AtomicInteger(colon < 0 ? 1 : Integer.parseInt(spec.substring(colon + 1)));
  }

  private FailPoints() {}

  /** Whether any point is: whoever passes points from another process need not ask further. */
  public static boolean armed() {
    return ARMED != null;
  }

  /** Dies here if this point is armed and it is its turn. */
  public static void hit(String name) {
    if (ARMED != null && ARMED.equals(name) && LEFT.decrementAndGet() == 0) {
      die(name);
    }
  }

  private static void die(String name) {
    String marker = setting("groundswell.failpoint.marker");
    if (marker != null) {
      if (new java.io.File(marker).exists()) {
        return;
      }
      try (FileOutputStream out = new FileOutputStream(marker)) {
        out.write(name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        out.getFD().sync();
      } catch (IOException e) {
        System.err.println("fail point " + name + ": cannot write marker " + marker + ": " + e);
      }
    }
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  private static String setting(String property) {
    String value = System.getProperty(property);
    return value != null
        ? value
        : System.getenv(property.toUpperCase(java.util.Locale.ROOT).replace('.', '_'));
  }
}
