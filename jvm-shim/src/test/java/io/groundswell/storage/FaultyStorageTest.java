package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.Fault;
import io.groundswell.testing.FaultInjector;
import io.groundswell.testing.FaultPlan;
import io.groundswell.testing.FaultyFileSystem;
import io.groundswell.testing.FaultyObjectStore;
import io.groundswell.testing.Latency;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Op;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The storage that fails fails as it is told to: other tests lean on it. */
class FaultyStorageTest {
  private static final String A = FileNames.commit(1, FileNames.newId(1));
  private static final byte[] CONTENT = new byte[1000];

  static {
    Arrays.setAll(new Byte[CONTENT.length], i -> CONTENT[i] = (byte) i);
  }

  @TempDir Path folder;

  private final FaultInjector faults = new FaultInjector();

  private ObjectStore open(String kind) throws IOException {
    if (kind.equals("object")) {
      return new FaultyObjectStore(new MemoryObjectStore(), faults);
    }
    Configuration conf = FaultyFileSystem.conf(kind);
    conf.setInt(HadoopObjectStore.ATTEMPTS, 1);
    return new HadoopObjectStore(new org.apache.hadoop.fs.Path(kind + ":" + folder), conf);
  }

  private FaultInjector faults(String kind) {
    return kind.equals("object") ? faults : FaultyFileSystem.injector(kind);
  }

  @ParameterizedTest
  @ValueSource(strings = {"object", "injured"})
  void everyFaultDoesWhatItsNameSays(String kind) throws IOException {
    FaultInjector injector = faults(kind);
    try (ObjectStore store = open(kind)) {
      injector.plan(FaultPlan.next(Op.PUT, 1, Fault.BEFORE));
      assertThrows(IOException.class, () -> store.put(A, CONTENT));
      assertEquals(List.of(), store.list(""));
      injector.plan(FaultPlan.next(Op.PUT, 1, Fault.AFTER));
      assertThrows(IOException.class, () -> store.put(A, CONTENT));
      assertArrayEquals(CONTENT, store.read(A, 0, 1000));
      injector.plan(FaultPlan.next(Op.PUT, 1, Fault.TORN));
      assertThrows(IOException.class, () -> store.put(A, CONTENT));
      assertEquals(500, store.length(A));
      injector.plan(FaultPlan.next(Op.PUT, 1, Fault.FLIP));
      store.put(A, CONTENT);
      assertEquals(1, bitsThatDiffer(store.read(A, 0, 1000)));
      injector.plan(FaultPlan.NONE);
      store.put(A, CONTENT);
      injector.plan(FaultPlan.next(Op.GET, 1, Fault.FLIP));
      assertEquals(1, bitsThatDiffer(store.read(A, 0, 1000)));
      injector.plan(FaultPlan.next(Op.GET, 1, Fault.SHORT));
      assertThrows(EOFException.class, () -> store.read(A, 0, 1000));
      injector.plan(FaultPlan.next(Op.DELETE, 1, Fault.BEFORE));
      assertThrows(IOException.class, () -> store.delete(A));
      injector.plan(FaultPlan.next(Op.DELETE, 1, Fault.AFTER));
      assertThrows(IOException.class, () -> store.delete(A));
      assertFalse(store.delete(A));
      injector.plan(FaultPlan.next(Op.LIST, 1, Fault.BEFORE));
      assertThrows(IOException.class, () -> store.list(""));
      assertEquals(List.of(), store.list(""));
    } finally {
      injector.plan(FaultPlan.NONE);
    }
  }

  private static int bitsThatDiffer(byte[] read) {
    int bits = 0;
    for (int i = 0; i < read.length; i++) {
      bits += Integer.bitCount((read[i] ^ CONTENT[i]) & 0xFF);
    }
    return bits;
  }

  @ParameterizedTest
  @ValueSource(strings = {"object", "counted"})
  void callsAndBytesAreCountedByKind(String kind) throws IOException {
    FaultInjector injector = faults(kind);
    try (ObjectStore store = open(kind)) {
      injector.resetCounters();
      store.put(A, CONTENT);
      store.read(A, 10, 20);
      store.read(A, 500, 7);
      store.list("");
      store.delete(A);
      Map<String, Long> counters = injector.counters();
      assertEquals(1, counters.get("PUT"));
      assertEquals(1000, counters.get("PUT.bytes"));
      assertEquals(2, counters.get("GET"));
      assertEquals(27, counters.get("GET.bytes"));
      assertEquals(1, counters.get("LIST"));
      assertEquals(1, counters.get("DELETE"));
      assertFalse(counters.containsKey("RENAME"), "an object store publishes without a rename");
    }
  }

  @Test
  void aSeedReplaysItsFaultsWhateverElseIsAsked() throws IOException {
    String spec = "seed=7,GET=BEFORE:0.1,GET=FLIP:0.2,PUT=AFTER:0.3";
    FaultPlan plan = FaultPlan.parse(spec);
    List<Fault> gets = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      gets.add(plan.next(Op.GET, "a"));
    }
    FaultPlan again = FaultPlan.parse(spec);
    for (Fault expected : gets) {
      again.next(Op.PUT, "b");
      assertEquals(expected, again.next(Op.GET, "c"));
    }
    long before = gets.stream().filter(fault -> fault == Fault.BEFORE).count();
    long flips = gets.stream().filter(fault -> fault == Fault.FLIP).count();
    assertTrue(before > 60 && before < 140, before + " of 1000");
    assertTrue(flips > 140 && flips < 260, flips + " of 1000");
    assertTrue(gets.contains(Fault.NONE));
  }

  @Test
  void latencyIsSetByKind() throws IOException {
    Latency latency = Latency.parse(Latency.REMOTE);
    assertEquals(20, latency.millis(Op.PUT, "x"));
    assertEquals(0, latency.millis(Op.CREATE, "x"));
    faults.latency(Latency.parse("GET=30"));
    try (ObjectStore store = open("object")) {
      store.put(A, CONTENT);
      long start = System.nanoTime();
      store.read(A, 0, 1);
      assertTrue(System.nanoTime() - start >= 29_000_000);
    }
  }

  /** What Spark's own files need of a file system. */
  @Test
  void streamsFoldersAndRenamesBehaveAsHadoopsDo() throws IOException {
    Configuration conf = FaultyFileSystem.conf("spark");
    org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("spark:" + folder + "/q");
    try (FileSystem fs = root.getFileSystem(conf)) {
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(root, "d/1");
      try (FSDataOutputStream out = fs.create(file)) {
        out.write(CONTENT);
        assertFalse(fs.exists(file), "an object appears when it is closed");
      }
      assertThrows(IOException.class, () -> fs.create(file, false));
      try (FSDataInputStream in = fs.open(file)) {
        assertArrayEquals(CONTENT, in.readAllBytes());
        in.seek(10);
        assertEquals(10, in.read());
      }
      org.apache.hadoop.fs.Path other = new org.apache.hadoop.fs.Path(root, "d/2");
      assertTrue(fs.rename(file, other));
      assertFalse(fs.exists(file));
      assertEquals("spark",
          fs.listStatus(new org.apache.hadoop.fs.Path(root, "d"))[0].getPath().toUri().getScheme());
      assertTrue(fs.delete(root, true));
      assertFalse(fs.exists(root));
    }
  }
}
