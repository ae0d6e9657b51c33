package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test's own process must live, so it starts others. */
class FailPointsTest {
  /** Passes two points three times and says so. */
  public static final class Main {
    public static void main(String[] args) {
      for (int i = 0; i < 3; i++) {
        FailPoints.hit("first");
        FailPoints.hit("second");
        System.out.println("round " + i);
      }
    }
  }

  @TempDir Path folder;

  private int run(Path marker, String spec) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xshare:auto");
    command.add("-XX:TieredStopAtLevel=1");
    if (spec != null) {
      command.add("-Dgroundswell.failpoint=" + spec);
      command.add("-Dgroundswell.failpoint.marker=" + marker);
    }
    command.add("-cp");
    command.add(classes(FailPoints.class) + java.io.File.pathSeparator + classes(Main.class));
    command.add(Main.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(
        folder.resolve("out").toFile());
    builder.environment().remove("JAVA_TOOL_OPTIONS"); // a JVM would say that it found some
    return builder.start().waitFor();
  }

  private static String classes(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private long rounds() throws Exception {
    return Files.readAllLines(folder.resolve("out")).size();
  }

  @Test
  void armedPointKillsOnceAndLeavesItsMarker() throws Exception {
    Path marker = folder.resolve("marker");
    assertEquals(0, run(marker, null));
    assertEquals(3, rounds());
    assertEquals(0, run(marker, "third"));
    assertFalse(Files.exists(marker));
    assertEquals(FailPoints.EXIT_CODE, run(marker, "second:2"));
    assertEquals(1, rounds());
    assertEquals("second", Files.readString(marker));
    assertEquals(0, run(marker, "second:2"), "the restart with the same settings lives");
    assertEquals(3, rounds());
    assertTrue(Files.exists(marker));
  }
}
