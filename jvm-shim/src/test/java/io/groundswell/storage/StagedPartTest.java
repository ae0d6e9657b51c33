package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.FaultyFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Spark wrote to a folder of its own comes to its place as a whole, and once. */
class StagedPartTest {
  private static final byte[] ROWS = {1, 2, 3};

  @TempDir Path folder;

  /** Of a file system whose files are moved, or of one on which they are seen when whole. */
  private static Configuration files(boolean seenWhenWhole) {
    Configuration conf = FaultyFileSystem.conf("staged");
    conf.setBoolean("fs.staged.renames", !seenWhenWhole);
    return conf;
  }

  private String at(String name) {
    return "staged:" + folder.resolve(name);
  }

  private Path write(String name, byte[] bytes) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, bytes);
  }

  @ParameterizedTest
  @CsvSource({"false,staging/part-0.parquet,3", "true,staging/attempt_0/part-0.parquet,3",
      "true,staging/attempt_0/part-0.parquet,5000000"})
  void theFileComesToItsPlace(boolean seenWhenWhole, String part, int size) throws IOException {
    byte[] rows = new byte[size];
    rows[size - 1] = 7;
    write(part, rows);
    Files.createDirectories(folder.resolve("rows"));
    StagedPart staged = new StagedPart(at("staging"), files(seenWhenWhole));
    staged.publish(at("rows/a.parquet"));
    assertArrayEquals(rows, Files.readAllBytes(folder.resolve("rows/a.parquet")));
    assertFalse(Files.exists(folder.resolve(part)));
  }

  @Test
  void anyAttemptWillDoWhereFilesAreSeenWhenWhole() throws IOException {
    Path first = write("staging/attempt_0/part-0.parquet", ROWS);
    Path second = write("staging/attempt_1/part-0.parquet", ROWS);
    new StagedPart(at("staging"), files(true)).publish(at("rows/a.parquet"));
    assertArrayEquals(ROWS, Files.readAllBytes(folder.resolve("rows/a.parquet")));
    assertFalse(Files.exists(first) || Files.exists(second));
  }

  @ParameterizedTest
  @CsvSource({"false,0", "false,2", "true,0"})
  void anotherNumberOfFilesIsAnErrorThatNamesTheFolder(boolean seenWhenWhole, int count)
      throws IOException {
    for (int i = 0; i < count; i++) {
      write("staging/part-" + i, ROWS);
    }
    StagedPart staged = new StagedPart(at("staging"), files(seenWhenWhole));
    IOException refused =
        assertThrows(IOException.class, () -> staged.publish(at("rows/a.parquet")));
    assertTrue(refused.getMessage().contains("staging has " + count + " parts"));
    assertFalse(Files.exists(folder.resolve("rows/a.parquet")));
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void whatIsThereAlreadyStays(boolean seenWhenWhole) throws IOException {
    Path there = write("rows/a.parquet", new byte[] {9});
    write("staging/part-0.parquet", ROWS);
    new StagedPart(at("staging"), files(seenWhenWhole)).publishOnce(at("rows/a.parquet"));
    assertArrayEquals(new byte[] {9}, Files.readAllBytes(there));
    assertFalse(Files.exists(folder.resolve("staging")));
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void onlyWhereFilesAreSeenWhenWholeNothingIsMoved(boolean seenWhenWhole) throws IOException {
    StagedPart staged = new StagedPart(at("staging"), files(seenWhenWhole));
    assertEquals(seenWhenWhole, staged.seenWhenWhole());
  }
}
