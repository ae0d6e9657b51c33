package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.spark.views.dataflow.LocalSpark;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.junit.jupiter.api.Test;

class SpillFileTest {
  private static final String WORD = "a card's number";
  private static final byte[] ROWS = WORD.repeat(10_000).getBytes(StandardCharsets.ISO_8859_1);

  @Test
  void bytesAreAsTheyAreWithoutSpark() throws IOException {
    assertArrayEquals(ROWS, kept());
  }

  @Test
  void bytesAreCompressedAsSparkCompressesThem() throws IOException {
    SparkContext spark = LocalSpark.start();
    try {
      assertTrue(kept().length < ROWS.length / 10);
    } finally {
      spark.stop();
    }
  }

  @Test
  void bytesAreEncryptedWhereSparkEncryptsItsOwn() throws IOException {
    for (String compressed : new String[] {"true", "false"}) {
      SparkContext spark = LocalSpark.start(new SparkConf()
              .set("spark.io.encryption.enabled", "true")
              .set("spark.shuffle.spill.compress", compressed));
      try {
        String kept = new String(kept(), StandardCharsets.ISO_8859_1);
        assertFalse(kept.contains(WORD));
      } finally {
        spark.stop();
      }
    }
  }

  /** What a file's bytes are on disk, after what was read from it was right. */
  private static byte[] kept() throws IOException {
    SpillFile file = SpillFile.create();
    for (int turn = 0; turn < 2; turn++) {
      try (OutputStream out = file.write()) {
        out.write(ROWS);
      }
    }
    try (InputStream in = file.read()) {
      assertArrayEquals(ROWS, in.readAllBytes());
    }
    Path path = Path.of(file.toString());
    byte[] found = Files.readAllBytes(path);
    file.delete();
    assertFalse(Files.exists(path));
    return found;
  }
}
