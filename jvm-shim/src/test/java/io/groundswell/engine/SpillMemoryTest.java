package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A first batch may be much larger than the heap. */
class SpillMemoryTest {
  @TempDir Path folder;

  @Test
  void rowsOfTwiceTheHeapAreLoadedInOneBatch() throws Exception {
    load(1_600_000, "160m");
  }

  @Test
  @Tag("soak")
  void twentyMillionRowsFitIntoAGigabyte() throws Exception {
    load(20_000_000, "1g");
  }

  private void load(int rows, String heap) throws IOException, InterruptedException {
    Path said = folder.resolve("said");
    Path messages = folder.resolve("messages");
    Process process = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + heap,
        "-XX:+ExitOnOutOfMemoryError", "-cp", System.getProperty("java.class.path"),
        SpillWorkload.class.getName(), folder.resolve("store").toString(), Integer.toString(rows))
                          .redirectOutput(said.toFile())
                          .redirectError(messages.toFile())
                          .start();
    int code = process.waitFor();
    String errors = Files.readString(messages, StandardCharsets.UTF_8);
    assertEquals(0, code, errors);
    System.err.println("first batch, heap " + heap + ": " + errors.lines().findFirst().orElse(""));
    List<String> lines = Files.readAllLines(said, StandardCharsets.UTF_8);
    assertEquals("counted " + rows + " found " + rows / 1000, lines.get(0));
    String[] shape = lines.get(1).split(" ");
    assertTrue(Integer.parseInt(shape[1]) > 3, lines.get(1));
    assertEquals("1", shape[3], lines.get(1));
    assertEquals("committed " + rows + " scanned " + rows, lines.get(2));
  }
}
