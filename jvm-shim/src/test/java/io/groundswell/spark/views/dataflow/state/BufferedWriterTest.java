package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.storage.LocalObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BufferedWriterTest {
  private final Map<String, byte[]> kept = new HashMap<>();

  @Test
  void aSmallObjectIsKeptWhenItIsCommitted(@TempDir Path folder) throws IOException {
    LocalObjectStore store = new LocalObjectStore(folder, false);
    try (BufferedWriter out = new BufferedWriter(store, "a", kept::put)) {
      out.write(7);
      out.write(new byte[] {1, 2, 3}, 1, 2);
      assertEquals(Map.of(), kept);
      out.commit();
    }
    assertArrayEquals(new byte[] {7, 2, 3}, kept.get("a"));
    assertThrows(FileNotFoundException.class, () -> store.length("a"));
  }

  @Test
  void oneThatOutgrowsMemoryGoesToStorageWhole(@TempDir Path folder) throws IOException {
    LocalObjectStore store = new LocalObjectStore(folder, false);
    byte[] most = new byte[BufferedWriter.MOST_BYTES];
    most[0] = 5;
    try (BufferedWriter out = new BufferedWriter(store, "a", kept::put)) {
      out.write(most);
      out.write(6);
      out.commit();
    }
    assertNull(kept.get("a"));
    assertEquals(BufferedWriter.MOST_BYTES + 1L, store.length("a"));
    assertArrayEquals(new byte[] {5}, store.read("a", 0, 1));
    assertArrayEquals(new byte[] {6}, store.read("a", BufferedWriter.MOST_BYTES, 1));
  }

  @Test
  void whatIsNotCommittedLeavesNothing(@TempDir Path folder) throws IOException {
    LocalObjectStore store = new LocalObjectStore(folder, false);
    for (int size : new int[] {1, BufferedWriter.MOST_BYTES + 1}) {
      try (BufferedWriter out = new BufferedWriter(store, "a", kept::put)) {
        out.write(new byte[size]);
      }
    }
    assertEquals(Map.of(), kept);
    assertEquals(0, folder.toFile().list().length);
  }
}
