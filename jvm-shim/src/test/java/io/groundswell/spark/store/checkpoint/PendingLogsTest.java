package io.groundswell.spark.store.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.GroundswellCheckpointFileManager;
import io.groundswell.error.EngineException;
import io.groundswell.storage.ObjectStores;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.FaultyFileSystem;
import io.groundswell.testing.Latency;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PendingLogsTest {
  private static final String CONF = "spark.sql.streaming.checkpointFileManagerClass";
  private static final String SCHEME = "pending";

  @TempDir java.nio.file.Path folder;

  private Configuration conf;
  private String location;
  private PendingLogs logs;

  @BeforeEach
  void open() {
    conf = FaultyFileSystem.conf(SCHEME);
    conf.set(CONF, GroundswellCheckpointFileManager.class.getName());
    location = SCHEME + ":" + folder + "/checkpoint";
    logs = PendingLogs.open(location, conf);
  }

  @AfterEach
  void close() throws InterruptedException {
    logs.close();
    FaultyFileSystem.injector(SCHEME).latency(Latency.NONE);
    FaultyFileSystem.injector(SCHEME).plan(FaultPlan.NONE);
  }

  private Path path(String log, String name) {
    return new Path(new Path(location, log), name);
  }

  private void write(String log, String name) throws IOException {
    CheckpointFileManager manager = CheckpointFileManager.create(new Path(location, log), conf);
    try (var out = manager.createAtomic(path(log, name), false)) {
      out.write((log + "/" + name).getBytes(StandardCharsets.UTF_8));
    }
  }

  private List<String> stored(String log) throws IOException {
    java.nio.file.Path place = folder.resolve("checkpoint").resolve(log);
    if (!Files.isDirectory(place)) {
      return List.of();
    }
    try (Stream<java.nio.file.Path> files = Files.list(place)) {
      return files.map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith("."))
          .sorted()
          .toList();
    }
  }

  @Test
  void anEntryIsReadAtOnceAndIsThereWhenItWasWaitedFor() throws Exception {
    FaultyFileSystem.injector(SCHEME).latency(Latency.parse("PUT=200"));
    write("sources/0", "4");
    write("offsets", "7");
    assertEquals(List.of(), stored("offsets"));
    CheckpointFileManager manager =
        CheckpointFileManager.create(new Path(location, "offsets"), conf);
    assertTrue(manager.exists(path("offsets", "7")));
    try (var in = manager.open(path("offsets", "7"))) {
      assertEquals("offsets/7", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    manager.mkdirs(new Path(location, "offsets"));
    assertEquals(List.of("7"),
        Arrays.stream(manager.list(new Path(location, "offsets"), name -> true))
            .map(file -> file.getPath().getName())
            .toList());
    assertArrayEquals("offsets/7".getBytes(StandardCharsets.UTF_8),
        RecentFiles.read(ObjectStores.open(location + "/offsets", conf), "7"));
    logs.awaitPlanned(7);
    assertEquals(List.of("4"), stored("sources/0"), "offsets refer to it");
    assertEquals(List.of("7"), stored("offsets"));
    assertEquals(List.of("7"),
        Arrays.stream(manager.list(new Path(location, "offsets"), name -> true))
            .map(file -> file.getPath().getName())
            .toList());
  }

  @Test
  void aBatchIsSaidToBeDoneWhenItIsReleased() throws Exception {
    write("commits", "7");
    write("commits", "8");
    logs.awaitAll();
    assertEquals(List.of(), stored("commits"));
    logs.release(7);
    logs.awaitRecorded(7);
    assertEquals(List.of("7"), stored("commits"));
    logs.release(9);
    write("commits", "9");
    logs.awaitRecorded(9);
    assertEquals(List.of("7", "8", "9"), stored("commits"));
    write("commits", "10");
    logs.close();
    assertEquals(List.of("7", "8", "9"), stored("commits"), "what was not released is given up");
  }

  @Test
  void afterAnEntryThatFailsThereAreNoMore() throws Exception {
    write("offsets", "7");
    logs.awaitPlanned(7);
    Files.writeString(folder.resolve("checkpoint/offsets/8"), "another run's");
    write("offsets", "8");
    EngineException error = assertThrows(EngineException.class, () -> logs.awaitPlanned(8));
    assertTrue(error.getMessage().contains("CONCURRENT_STREAM_LOG_UPDATE"), error.getMessage());
    assertTrue(error.getMessage().contains("offsets/8"), error.getMessage());
    assertThrows(IOException.class, () -> write("offsets", "9"));
    assertEquals(List.of("7", "8"), stored("offsets"));
    assertEquals("another run's", Files.readString(folder.resolve("checkpoint/offsets/8")));
  }

  @Test
  void otherCheckpointsAndWhatMayBeOverwrittenAreWrittenAtOnce() throws Exception {
    assertNull(PendingLogs.of(location + "-other", conf));
    CheckpointFileManager manager =
        CheckpointFileManager.create(new Path(location, "offsets"), conf);
    try (var out = manager.createAtomic(path("offsets", "7"), true)) {
      out.write(1);
    }
    assertEquals(List.of("7"), stored("offsets"));
    CheckpointFileManager root = CheckpointFileManager.create(new Path(location), conf);
    try (var out = root.createAtomic(new Path(location, "metadata"), false)) {
      out.write(1);
    }
    assertTrue(Files.exists(folder.resolve("checkpoint/metadata")));
    assertFalse(manager.exists(path("offsets", "8")));
  }
}
