package io.groundswell.spark.store.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.MemoryObjectStore;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.junit.jupiter.api.Test;

class RecentFilesTest {
  private final MemoryObjectStore folder = new MemoryObjectStore();
  private final RecentFiles recent = new RecentFiles(folder.location());

  private void create(String name, String text) throws IOException {
    try (NewObject file = NewObject.create(folder, name, recent)) {
      file.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void whatWasCreatedIsReadWithoutARequest() throws IOException {
    create("7", "offsets");
    folder.delete("7");
    assertTrue(recent.has("7"));
    assertArrayEquals("offsets".getBytes(StandardCharsets.UTF_8), RecentFiles.read(folder, "7"));
    try (FSDataInputStream in = recent.open("7")) {
      assertEquals("offsets", new String(in.readAllBytes(), StandardCharsets.UTF_8));
      assertEquals(-1, in.read());
      in.seek(3);
      assertEquals('s', in.read());
      assertThrows(EOFException.class, () -> in.seek(8));
      byte[] part = new byte[3];
      in.readFully(1, part);
      assertArrayEquals("ffs".getBytes(StandardCharsets.UTF_8), part);
    }
    recent.remove("7");
    assertFalse(recent.has("7"));
    assertNull(recent.open("7"));
  }

  @Test
  void theBatchAfterTheLastIsKnownNotToBeThere() throws IOException {
    assertFalse(recent.isNext("0"));
    create("7", "offsets");
    assertTrue(recent.isNext("8"));
    assertFalse(recent.isNext("7") || recent.isNext("9") || recent.isNext("8.compact"));
    assertTrue(new RecentFiles(folder.location()).open("7") == null, "another run's");
  }

  @Test
  void whatAnotherRunCreatedIsNot() throws IOException {
    folder.put("7", new byte[] {1});
    assertThrows(FileAlreadyExistsException.class, () -> create("7", "offsets"));
    NewObject cancelled = NewObject.create(folder, "8", recent);
    cancelled.cancel();
    cancelled.close();
    assertFalse(recent.has("7") || recent.has("8"));
  }

  @Test
  void onlyTheLastAndSmallOnesAreKept() throws IOException {
    create("large", "x".repeat(1 << 20));
    assertFalse(recent.has("large"));
    for (int i = 0; i < 100; i++) {
      create("" + i, "x");
    }
    assertTrue(recent.has("99"));
    assertFalse(recent.has("0"));
  }
}
