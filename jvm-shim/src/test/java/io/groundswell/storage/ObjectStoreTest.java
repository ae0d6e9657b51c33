package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.storage.ObjectStore.ObjectInfo;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import io.groundswell.testing.Allocations;
import io.groundswell.testing.Fault;
import io.groundswell.testing.FaultInjector;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.FaultyFileSystem;
import io.groundswell.testing.Op;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both implementations keep the interface's promises. */
class ObjectStoreTest {
  private static final String A = FileNames.commit(1, FileNames.newId(1));

  @TempDir Path folder;

  private ObjectStore open(String kind) throws IOException {
    return switch (kind) {
      case "local" -> new LocalObjectStore(folder.resolve("a/b"), false);
      case "synced" -> new LocalObjectStore(folder.resolve("a/b"), true);
      default ->
        new HadoopObjectStore(
            new org.apache.hadoop.fs.Path(folder.resolve("a/b").toUri()), new Configuration());
    };
  }

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static List<String> names(ObjectStore store, String prefix) throws IOException {
    return store.list(prefix).stream().map(ObjectInfo::name).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "synced", "hadoop"})
  void anObjectIsNewOnceOnly(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      assertTrue(store.putNew("epoch.json", bytes(1, 100)));
      assertFalse(store.putNew("epoch.json", bytes(2, 100)));
      assertFalse(store.putNew("epoch.json", bytes(2, 99)));
      assertArrayEquals(bytes(1, 100), store.read("epoch.json", 0, 100));
      assertEquals(List.of("epoch.json"), names(store, ""));
      assertEquals(0, store.sweep(Long.MAX_VALUE), "nothing is left beside it");
      assertTrue(store.delete("epoch.json"));
      assertTrue(store.putNew("epoch.json", bytes(2, 100)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "synced"})
  void ofManyAtOnceOneCreatesAnObject(String kind) throws Exception {
    try (ObjectStore store = open(kind)) {
      var threads = java.util.concurrent.Executors.newFixedThreadPool(8);
      for (int round = 0; round < 40; round++) {
        String name = "slot-" + round;
        List<java.util.concurrent.Callable<Boolean>> rivals = new java.util.ArrayList<>();
        for (int i = 0; i < 8; i++) {
          byte[] content = bytes(i, 64);
          rivals.add(() -> store.putNew(name, content));
        }
        int created = 0;
        for (var rival : threads.invokeAll(rivals)) {
          created += rival.get() ? 1 : 0;
        }
        assertEquals(1, created);
      }
      threads.shutdown();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "synced", "hadoop"})
  void aListingAsksOfEachObjectWhetherItIsWanted(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      assertEquals(List.of(), store.list(name -> true));
      for (String name : List.of("b.sst", "a.sst", "a.commit")) {
        store.putNew(name, bytes(1, 10));
      }
      Files.createDirectory(folder.resolve("a/b/a.folder"));
      Files.writeString(folder.resolve("a/b/" + TempNames.forObject("a.sst")), "half");
      List<String> asked = new java.util.ArrayList<>();
      List<ObjectInfo> wanted = store.list(name -> {
        asked.add(name);
        return name.startsWith("a.");
      });
      assertEquals(List.of("a.commit", "a.sst"), wanted.stream().map(ObjectInfo::name).toList());
      assertEquals(List.of(10L, 10L), wanted.stream().map(ObjectInfo::length).toList());
      assertTrue(asked.containsAll(List.of("b.sst", "a.sst", "a.commit")), asked::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "synced", "hadoop"})
  void objectsAppearAsAWholeOrNotAtAll(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      assertEquals(List.of(), store.list(""));
      byte[] content = bytes(1, 100_000);
      try (ObjectWriter out = store.create(A)) {
        out.write(content, 0, 60_000);
        assertThrows(FileNotFoundException.class, () -> store.length(A));
        assertNull(store.lengthIfThere(A));
        assertEquals(List.of(), store.list(""));
        out.write(content, 60_000, 39_999);
        out.write(content[99_999]);
        out.commit();
      }
      assertEquals(100_000, store.length(A));
      assertArrayEquals(content, store.read(A, 0, 100_000));
      assertArrayEquals(Arrays.copyOfRange(content, 777, 888), store.read(A, 777, 111));
      try (ObjectWriter out = store.create("abandoned")) {
        out.write(content);
      }
      assertEquals(List.of(A), names(store, ""));
      assertEquals(1,
          Files.list(folder.resolve("a/b")).filter(f -> !f.toString().endsWith("crc")).count(),
          "nothing is left behind");
    }
  }

  /** Who believes a lie about a file's length must not pay for it with memory. */
  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void aReadBeyondTheEndAllocatesNoMoreThanThereIs(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      byte[] content = bytes(5, 20 << 20);
      store.put(A, content);
      assertArrayEquals(content, store.read(A, 0, content.length));
      long allocated = Allocations.of(
          () -> assertThrows(EOFException.class, () -> store.read(A, 0, Integer.MAX_VALUE - 8)));
      assertTrue(allocated < 5L * content.length, allocated + " bytes");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void bytesAreReadIntoAnArrayThatIsThere(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      byte[] content = bytes(7, 1000);
      store.put(A, content);
      byte[] into = bytes(8, 20);
      store.read(A, 990, 10, into);
      byte[] expected = bytes(8, 20);
      System.arraycopy(content, 990, expected, 0, 10);
      assertArrayEquals(expected, into);
      assertThrows(EOFException.class, () -> store.read(A, 991, 10, into));
      assertThrows(EOFException.class, () -> store.read(A, -1, 10, into));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void whatIsNotThereIsSaidSo(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      assertThrows(FileNotFoundException.class, () -> store.read(A, 0, 1));
      assertFalse(store.delete(A));
      assertFalse(store.has(A));
      assertNull(store.readIfThere(A));
      store.put(A, bytes(2, 10));
      assertTrue(store.has(A));
      assertArrayEquals(bytes(2, 10), store.readIfThere(A));
      assertThrows(EOFException.class, () -> store.read(A, 5, 6));
      assertThrows(EOFException.class, () -> store.read(A, -1, 1));
      assertEquals(0, store.read(A, 10, 0).length);
      assertTrue(store.delete(A));
      assertThrows(FileNotFoundException.class, () -> store.read(A, 0, 1));
      assertThrows(FileNotFoundException.class, () -> store.length(A));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void replacedObjectIsReadAnew(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      for (String name : new String[] {A, "epochs.json"}) {
        store.put(name, bytes(3, 50));
        assertArrayEquals(bytes(3, 50), store.read(name, 0, 50));
        store.put(name, bytes(4, 60));
        assertEquals(60, store.length(name));
        assertArrayEquals(bytes(4, 60), store.read(name, 0, 60));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void listingKnowsPrefixesAndFolders(String kind) throws IOException {
    try (ObjectStore store = open(kind); ObjectStore child = store.child("p")) {
      store.put("x1", bytes(1, 3));
      store.put("x2", bytes(1, 4));
      store.put("y1", bytes(1, 5));
      child.put("x3", bytes(1, 6));
      assertEquals(List.of("x1", "x2"), names(store, "x"));
      assertEquals(List.of("x1", "x2", "y1"), names(store, ""));
      assertEquals(List.of("x3"), names(child, ""));
      assertEquals(4, store.list("x2").get(0).length());
      assertTrue(
          Math.abs(System.currentTimeMillis() - store.list("x2").get(0).modifiedMillis()) < 60_000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void leftoversOfDeadWritersAreSwept(String kind) throws IOException {
    try (ObjectStore store = open(kind)) {
      store.put(A, bytes(1, 3));
      ObjectWriter dead = store.create("never");
      dead.write(1);
      dead.flush();
      assertEquals(0, store.sweep(0));
      assertEquals(1, store.sweep(System.currentTimeMillis() + 60_000));
      assertEquals(List.of(A), names(store, ""));
    }
  }

  /** A task's thread is interrupted at any time; others read on from the same file. */
  @ParameterizedTest
  @ValueSource(strings = {"local", "hadoop"})
  void interruptedReaderHarmsNoOther(String kind) throws Exception {
    try (ObjectStore store = open(kind)) {
      byte[] content = bytes(5, 1 << 20);
      store.put(A, content);
      AtomicBoolean stop = new AtomicBoolean();
      Thread victim = new Thread(() -> {
        while (!stop.get()) {
          try {
            store.read(A, 1000, 100_000);
          } catch (IOException e) {
            Thread.interrupted();
          }
        }
      });
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread reader = new Thread(() -> {
        try {
          for (int i = 0; i < 400; i++) {
            assertArrayEquals(Arrays.copyOfRange(content, i, i + 1000), store.read(A, i, 1000));
          }
        } catch (Throwable e) {
          failure.set(e);
        }
      });
      victim.start();
      reader.start();
      while (reader.isAlive()) {
        victim.interrupt();
        reader.join(0, 100_000);
      }
      stop.set(true);
      victim.join();
      assertEquals(null, failure.get());
    }
  }

  @Test
  void localReadsAndWritesIgnoreInterrupts() throws IOException {
    try (ObjectStore store = open("local")) {
      Thread.currentThread().interrupt();
      store.put(A, bytes(6, 100));
      assertArrayEquals(bytes(6, 100), store.read(A, 0, 100));
      assertEquals(1, store.list("").size());
      assertTrue(Thread.interrupted());
    }
  }

  private static Configuration faulty(String scheme, boolean renames) {
    Configuration conf = FaultyFileSystem.conf(scheme);
    conf.setLong(HadoopObjectStore.PAUSE, 1);
    conf.setBoolean("fs." + scheme + ".renames", renames);
    return conf;
  }

  @Test
  void failuresThatPassAreRetriedAndLostAnswersUnderstood() throws IOException {
    FaultInjector faults = FaultyFileSystem.injector("flaky");
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("flaky:" + folder + "/f");
    try (ObjectStore store = new HadoopObjectStore(path, faulty("flaky", true))) {
      faults.plan(FaultPlan.next(Op.RENAME, 1, Fault.AFTER));
      store.put(A, bytes(7, 100));
      assertEquals(2, faults.calls(Op.RENAME));
      faults.plan(FaultPlan.next(Op.GET, 3, Fault.BEFORE));
      assertArrayEquals(bytes(7, 100), store.read(A, 0, 100));
      long opens = faults.calls(Op.HEAD);
      store.read(A, 1, 1);
      assertEquals(opens, faults.calls(Op.HEAD), "the stream was kept");

      store.put("other", bytes(8, 10));
      faults.plan(FaultPlan.next(Op.GET, 100, Fault.BEFORE));
      long gets = faults.calls(Op.GET);
      IOException e = assertThrows(IOException.class, () -> store.read("other", 0, 1));
      assertTrue(e.getMessage().contains("after 4 attempts"), e.getMessage());
      assertEquals(gets + 4, faults.calls(Op.GET));
    } finally {
      faults.plan(FaultPlan.NONE);
    }
  }

  @Test
  void urisFindTheirStore() {
    Configuration conf = new Configuration();
    assertInstanceOf(LocalObjectStore.class, ObjectStores.open("file:" + folder + "/x y", conf));
    assertInstanceOf(LocalObjectStore.class, ObjectStores.open("file://" + folder, conf));
    assertEquals(folder + "/a b%20c", ObjectStores.open(folder + "/a b%20c", conf).location());
    Configuration flaky = faulty("flaky", true);
    assertInstanceOf(HadoopObjectStore.class, ObjectStores.open("flaky:" + folder, flaky));
    flaky.set("fs.defaultFS", "flaky:///");
    assertInstanceOf(HadoopObjectStore.class, ObjectStores.open(folder.toString(), flaky));
    assertThrows(EngineException.class, () -> ObjectStores.open("", conf));
    assertThrows(EngineException.class, () -> ObjectStores.open("nosuch:/x", conf));
  }

  @Test
  void aPasswordInAUriIsRefusedAndNotShown() {
    Configuration flaky = faulty("flaky", true);
    for (String uri : List.of("s3a://me:s3cret@bucket/x", "S3n://me:s3/cret@bucket/x",
             "flaky://me:s3cret@host:80" + folder)) {
      String said =
          assertThrows(EngineException.class, () -> ObjectStores.open(uri, flaky)).getMessage();
      assertTrue(said.contains("has a password in it"), said);
      assertFalse(said.contains("s3cret") || said.contains("me:"), said);
    }
    assertInstanceOf(
        HadoopObjectStore.class, ObjectStores.open("flaky://" + folder + "/a:b@c", flaky));
  }
}
