package io.groundswell.testing;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Seeds of random tests: {@code -Dgroundswell.seed=N} runs one, and a failure prints its own;
 * {@code -Dgroundswell.rounds=N} runs N times as many.
 */
public final class Seeds {
  private static final String PROPERTY = "groundswell.seed";

  private Seeds() {}

  /** The seed that is set, or null. */
  public static Long fixed() {
    return Long.getLong(PROPERTY);
  }

  /** Runs the body with {@code count} fresh seeds, or with the one that is set. */
  public static void each(int count, Consumer<Random> body) {
    Long fixed = fixed();
    Random source = new Random();
    int rounds = Integer.getInteger("groundswell.rounds", 1);
    for (int i = 0; i < (fixed == null ? count * rounds : 1); i++) {
      run(fixed == null ? source.nextLong() : fixed, body);
    }
  }

  /** Runs the body with one seed: for seeds that found a bug once. */
  public static void run(long seed, Consumer<Random> body) {
    try {
      body.accept(new Random(seed));
    } catch (Throwable e) {
      throw new AssertionError("failed with -D" + PROPERTY + "=" + seed + " (make junit TESTS='.*"
              + test() + "' SEED=" + seed + "): " + e,
          e);
    }
  }

  /** The test class that called. */
  private static String test() {
    for (StackTraceElement frame : new Throwable().getStackTrace()) {
      String name = frame.getClassName().replaceAll(".*[.]|[$].*", "");
      if (name.endsWith("Test")) {
        return name;
      }
    }
    return "Test";
  }
}
