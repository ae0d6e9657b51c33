package io.groundswell.spark.views.dataflow.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.checkpoint.Destination;
import io.groundswell.spark.shims.SharedBlocks;
import io.groundswell.spark.views.dataflow.SparkTest;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.LocalObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PendingFolderTest extends SparkTest {
  private static final String NAME = FileNames.commit(3, FileNames.newId(1, 2));
  private static final byte[] BYTES = {1, 2, 3, 4, 5};

  @TempDir Path folder;

  private PendingFolder open() {
    return new PendingFolder(new LocalObjectStore(folder, false));
  }

  private static void write(PendingFolder to, String name, Destination how) {
    try (ObjectWriter out = how.create(to, name)) {
      out.write(BYTES);
      out.commit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeAhead(PendingFolder to, String name) {
    write(to, name, Destination.PENDING);
  }

  private List<String> onDisk() throws IOException {
    return new LocalObjectStore(folder, false).list("").stream().map(o -> o.name()).toList();
  }

  /** Processes drop a block when they get to it. */
  private void release(String name) {
    open().release(name);
    String block = open().block(name);
    for (int i = 0; i < 1000 && SharedBlocks.localLength(block) >= 0; i++) {
      LockSupport.parkNanos(10_000_000);
    }
    assertEquals(-1, SharedBlocks.localLength(block));
  }

  @Test
  void aCommitIsReadFromMemoryUntilItIsPersisted() throws IOException {
    writeAhead(open(), NAME);
    assertEquals(List.of(), onDisk());
    PendingFolder other = open();
    assertEquals(5, other.length(NAME));
    assertArrayEquals(new byte[] {2, 3}, other.read(NAME, 1, 2));
    assertThrows(EOFException.class, () -> other.read(NAME, 4, 2));
    other.persist(NAME);
    assertEquals(List.of(NAME), onDisk());
    release(NAME);
    assertEquals(5, other.length(NAME));
    assertArrayEquals(BYTES, other.read(NAME, 0, 5));
    other.persist(NAME); // as a task that runs twice
  }

  @Test
  void whatIsReleasedBeforeItIsPersistedIsGone() throws IOException {
    writeAhead(open(), NAME);
    release(NAME);
    assertThrows(FileNotFoundException.class, () -> open().length(NAME));
    assertThrows(IOException.class, () -> open().read(NAME, 0, 1));
    assertThrows(FileNotFoundException.class, () -> open().persist(NAME));
    assertEquals(List.of(), onDisk());
  }

  @Test
  void mergesAndDurableCommitsGoToStorageAtOnce() throws IOException {
    String merged = FileNames.sst(3, FileNames.newId(1, 3));
    writeAhead(open(), merged);
    write(open(), NAME, Destination.ALONE);
    assertTrue(onDisk().containsAll(List.of(merged, NAME)));
  }

  @Test
  void foldersDoNotShareNames(@TempDir Path elsewhere) {
    writeAhead(open(), NAME);
    PendingFolder other = new PendingFolder(new LocalObjectStore(elsewhere, false));
    assertThrows(FileNotFoundException.class, () -> other.length(NAME));
  }
}
