package io.groundswell.spark.store.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.GroundswellCheckpointFileManager;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFileManagerTest {
  private static final String CONF = "spark.sql.streaming.checkpointFileManagerClass";

  @TempDir java.nio.file.Path folder;

  private Path root;
  private CheckpointFileManager manager;

  @BeforeEach
  void create() {
    root = new Path(folder.toUri().toString(), "checkpoint with space");
    Configuration conf = new Configuration();
    conf.set(CONF, GroundswellCheckpointFileManager.class.getName());
    manager = CheckpointFileManager.create(root, conf);
    assertEquals(GroundswellCheckpointFileManager.class, manager.getClass());
    assertEquals(root, manager.createCheckpointDirectory());
  }

  private static void write(CheckpointFileManager to, Path path, String text, boolean overwrite)
      throws IOException {
    try (var out = to.createAtomic(path, overwrite)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String read(CheckpointFileManager from, Path path) throws IOException {
    try (var in = from.open(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private List<String> names(Path path) {
    return Arrays.stream(manager.list(path))
        .map(status -> status.getPath().getName())
        .sorted()
        .toList();
  }

  @Test
  void aFullDiskIsSaidWithTheFile() throws IOException {
    java.nio.file.Path file = folder.resolve("1");
    java.nio.file.Path temporary = Files.createFile(folder.resolve(".1.tmp"));
    OutputStream full = new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException("No space left on device");
      }
    };
    AtomicFile out = new AtomicFile(new BufferedOutputStream(full), file, temporary, false);
    out.write(1);
    IOException said = assertThrows(IOException.class, out::close);
    assertEquals("cannot write " + file + ": No space left on device", said.getMessage());
    assertFalse(Files.exists(temporary));
    assertFalse(Files.exists(file));
  }

  @Test
  void aFileAppearsWhenItsStreamIsClosed() throws IOException {
    Path file = new Path(root, "offsets/0");
    var out = manager.createAtomic(file, false);
    out.write("one".getBytes(StandardCharsets.UTF_8));
    assertFalse(manager.exists(file));
    out.close();
    out.close();
    assertEquals("one", read(manager, file));
    assertEquals(List.of("0"), names(new Path(root, "offsets")));
  }

  @Test
  void aCancelledFileLeavesNothing() throws IOException {
    var out = manager.createAtomic(new Path(root, "0"), true);
    out.write(1);
    out.cancel();
    out.close();
    assertEquals(List.of(), names(root));
  }

  @Test
  void overwritingNeedsLeave() throws IOException {
    Path file = new Path(root, "0");
    write(manager, file, "one", false);
    assertThrows(FileAlreadyExistsException.class, () -> write(manager, file, "two", false));
    assertEquals("one", read(manager, file));
    write(manager, file, "three", true);
    assertEquals("three", read(manager, file));
    assertEquals(List.of("0"), names(root));
  }

  @Test
  void ofTwoWritersWithoutLeaveOneWins() throws IOException {
    Path file = new Path(root, "0");
    var first = manager.createAtomic(file, false);
    var second = manager.createAtomic(file, false);
    first.write(1);
    second.write(2);
    second.close();
    assertThrows(FileAlreadyExistsException.class, first::close);
    try (var in = manager.open(file)) {
      assertArrayEquals(new byte[] {2}, in.readAllBytes());
    }
  }

  @Test
  void listsLikeSparksOwnManager() throws IOException {
    write(manager, new Path(root, "a"), "12345", false);
    for (String name : List.of(".hidden", "12", "19.compact", "a b", "%20", "é")) {
      write(manager, new Path(root, "./" + name), "", false);
    }
    manager.mkdirs(new Path(root, "sub/deeper"));
    CheckpointFileManager sparks =
        new FileSystemBasedCheckpointFileManager(root, new Configuration());
    assertEquals(
        describe(sparks.list(root, path -> true)), describe(manager.list(root, path -> true)));
    assertEquals(List.of("a"),
        Arrays.stream(manager.list(root, path -> path.getName().equals("a")))
            .map(status -> status.getPath().getName())
            .toList());
    assertThrows(FileNotFoundException.class, () -> manager.list(new Path(root, "none")));
  }

  private static List<String> describe(FileStatus[] statuses) {
    return Arrays.stream(statuses)
        .map(s
            -> s.getPath() + " " + s.isDirectory() + " " + (s.isFile() ? s.getLen() : 0) + " "
                + s.getModificationTime())
        .sorted()
        .toList();
  }

  @Test
  void deletingIsRecursiveAndTakesWhatIsNotThere() throws IOException {
    write(manager, new Path(root, "sub/deeper/file"), "x", false);
    manager.delete(new Path(root, "sub"));
    manager.delete(new Path(root, "sub"));
    assertFalse(manager.exists(new Path(root, "sub")));
    assertTrue(manager.exists(root));
  }

  @Test
  void openingWhatIsNotThereSaysSo() {
    assertThrows(FileNotFoundException.class, () -> manager.open(new Path(root, "0")));
  }

  @Test
  void filesOfSparksOwnManagerAreReadReplacedAndReadBack() throws IOException {
    CheckpointFileManager sparks =
        new FileSystemBasedCheckpointFileManager(root, new Configuration());
    Path file = new Path(root, "0");
    write(sparks, file, "from spark", false);
    java.nio.file.Path sum = LocalCheckpointFileManager.local(new Path(root, ".0.crc"));
    assertTrue(Files.exists(sum), "Hadoop's file system is expected to leave a checksum");
    assertEquals("from spark", read(manager, file));
    assertEquals(List.of("0"), names(root));
    write(manager, file, "from us", true);
    assertEquals("from us", read(sparks, file));
    write(sparks, file, "from spark again", true);
    manager.delete(file);
    assertFalse(Files.exists(sum));
  }

  @Test
  void anInterruptedThreadReadsAndWritesOn() throws IOException {
    Path file = new Path(root, "0");
    Thread.currentThread().interrupt();
    try {
      write(manager, file, "one", false);
      assertEquals("one", read(manager, file));
    } finally {
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void otherSchemesAreLeftToSpark() throws IOException {
    Configuration conf = new Configuration();
    conf.set(CONF, GroundswellCheckpointFileManager.class.getName());
    conf.set("fs.viewfs.mounttable.cluster.link./data", folder.toUri().toString());
    Path file = new Path("viewfs://cluster/data/offsets/0");
    CheckpointFileManager remote = CheckpointFileManager.create(file.getParent(), conf);
    remote.createCheckpointDirectory();
    write(remote, file, "one", false);
    assertThrows(FileAlreadyExistsException.class, () -> write(remote, file, "two", false));
    assertEquals("one", read(remote, file));
    assertFalse(remote.isLocal());
    assertTrue(Files.exists(folder.resolve("offsets/0")));
  }
}
