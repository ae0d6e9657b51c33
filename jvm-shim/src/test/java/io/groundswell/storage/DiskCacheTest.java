package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.testing.Damage;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskCacheTest {
  private static final long MIB = 1 << 20;

  @TempDir Path folder;

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private List<Path> files() {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(DiskCacheSegment::isOne).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long bytesOnDisk() {
    return files().stream().mapToLong(file -> file.toFile().length()).sum();
  }

  @Test
  void whatWasPutComesBackByItsWholeKey() {
    try (DiskCache cache = DiskCache.open(folder, MIB)) {
      cache.put("s3://a/x.sst", 7, bytes(1, 100));
      assertArrayEquals(bytes(1, 100), cache.get("s3://a/x.sst", 7, 100));
      assertNull(cache.get("s3://a/x.sst", 7, 99));
      assertNull(cache.get("s3://a/x.sst", 8, 100));
      assertNull(cache.get("s3://a/y.sst", 7, 100));
      assertEquals(List.of(1L, 3L), List.of(cache.hits(), cache.misses()));
      assertEquals(cache.bytes(), bytesOnDisk());
    }
  }

  @Test
  void itIsThereAfterARestart() {
    try (DiskCache cache = DiskCache.open(folder, MIB)) {
      for (int i = 0; i < 50; i++) {
        cache.put("o" + i, i, bytes(i, 1000));
      }
    }
    try (DiskCache cache = DiskCache.open(folder, MIB)) {
      for (int i = 0; i < 50; i++) {
        assertArrayEquals(bytes(i, 1000), cache.get("o" + i, i, 1000));
      }
      cache.put("later", 0, bytes(99, 10));
      assertArrayEquals(bytes(99, 10), cache.get("later", 0, 10));
    }
  }

  @Test
  void itsFilesStayBelowTheBoundAndTheOldestGo() {
    try (DiskCache cache = DiskCache.open(folder, MIB)) {
      for (int i = 0; i < 500; i++) {
        cache.put("o" + i, 0, bytes(i, 10_000));
        assertTrue(bytesOnDisk() <= MIB);
      }
      assertNull(cache.get("o0", 0, 10_000));
      assertArrayEquals(bytes(499, 10_000), cache.get("o499", 0, 10_000));
      cache.put("large", 0, new byte[200_000]);
      assertNull(cache.get("large", 0, 200_000), "it would take the room of too many others");
    }
    DiskCache.open(folder, 2 * MIB).close();
    try (DiskCache smaller = DiskCache.open(folder, MIB)) {
      assertTrue(smaller.bytes() <= MIB && bytesOnDisk() <= MIB);
    }
  }

  /** Torn, overwritten, stretched: each entry comes back as it was, or not at all. */
  @Test
  void damageIsAMiss() {
    Seeds.each(300, random -> {
      Path mine = folder.resolve(Long.toHexString(random.nextLong()));
      try {
        try (DiskCache cache = DiskCache.open(mine, MIB)) {
          for (int i = 0; i < 20; i++) {
            cache.put("o" + i, i, bytes(i, 50 + i));
          }
        }
        Path file = mine.resolve("cache-0").resolve("blocks-0000000000000000");
        byte[] good = Files.readAllBytes(file);
        Files.write(file, Damage.any(good, 0, good.length, random));
        try (DiskCache cache = DiskCache.open(mine, MIB)) {
          for (int i = 0; i < 20; i++) {
            byte[] found = cache.get("o" + i, i, 50 + i);
            if (found != null) {
              assertArrayEquals(bytes(i, 50 + i), found);
            }
            cache.put("o" + i, i, bytes(i, 50 + i));
            assertArrayEquals(bytes(i, 50 + i), cache.get("o" + i, i, 50 + i));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  @Test
  void twoProcessesDoNotShareFiles() {
    try (DiskCache one = DiskCache.open(folder, MIB);
        DiskCache other = DiskCache.open(folder, MIB)) {
      one.put("o", 0, bytes(1, 10));
      assertNull(other.get("o", 0, 10));
      assertEquals(1, files().size());
    }
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    EngineException e = assertThrows(EngineException.class, () -> DiskCache.open(file, MIB));
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    assertThrows(EngineException.class, () -> DiskCache.open(folder, 1000));
  }

  @Test
  void immutableObjectsAreReadOnceAndOthersEachTime() throws IOException {
    MemoryObjectStore remote = new MemoryObjectStore();
    String commit = FileNames.commit(1, FileNames.newId(1));
    remote.put(commit, bytes(1, 100));
    remote.put("other", bytes(2, 100));
    try (DiskCache cache = DiskCache.open(folder, MIB);
        ObjectStore store = new DiskCachedStore(remote, cache)) {
      for (int i = 0; i < 3; i++) {
        assertNotNull(store.read(commit, 10, 20));
        assertNotNull(store.read("other", 10, 20));
      }
      assertEquals(1 + 3, remote.reads.get());
      assertArrayEquals(remote.read(commit, 10, 20), store.read(commit, 10, 20));
      assertTrue(store.delete(commit));
      assertThrows(IOException.class, () -> store.length(commit));
    }
  }
}
