package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ObjectStore;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.RemoteObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where requests are slow, point reads take few of them as long as the cache has room. */
class ReadAroundTest {
  private static final int ROWS = 24_000;
  private static final int LONE = FetchPlan.LONE_BYTES;
  private static final SstOptions OPTIONS =
      new SstOptions(SstOptions.DEFAULT_BLOCK_BYTES, 10, Compression.NONE);

  /** Notes how much each request asked for. */
  private static final class Remote extends RemoteObjectStore {
    final Thread test = Thread.currentThread();
    final AtomicInteger beside = new AtomicInteger();
    final List<Integer> reads = Collections.synchronizedList(new ArrayList<>());

    Remote(ObjectStore store) {
      super(store);
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
      reads.add(length);
      beside.addAndGet(Thread.currentThread() == test ? 0 : 1);
      return super.read(name, offset, length);
    }
  }

  private final MemoryObjectStore memory = new MemoryObjectStore();
  private final Remote remote = new Remote(memory);
  private final SstModel model = new SstModel();
  private SstInfo info;

  @BeforeEach
  void write() throws IOException {
    for (int i = 0; i < ROWS; i++) {
      model.put(SstModel.HASHED, i, new byte[] {(byte) i}, 1, new byte[100]);
    }
    info = model.write(memory, "a.sst", OPTIONS);
  }

  @Test
  void theFourthMissInAMegabyteTakesAllOfIt() {
    SstReader reader = SstReader.open(remote, info, new BlockCache(16 << 20));
    readAll(reader);
    int stretches = (int) (info.tailOffset() / FetchPlan.STRETCH_BYTES) + 1;
    assertTrue(stretches > 2, () -> stretches + " stretches");
    assertEquals(1 + 4 * stretches, remote.reads.size(), () -> "bytes: " + remote.reads);
    long wide = remote.reads.stream().filter(bytes -> bytes > 2 * LONE).count();
    assertEquals(1 + stretches, wide, () -> "index, then stretches: " + remote.reads);
  }

  @Test
  void rowsFarApartTakeLittle() {
    SstReader reader = SstReader.open(remote, info, new BlockCache(16 << 20));
    int i = 0;
    for (byte[] key : model.entries.keySet()) {
      if (i++ % (ROWS / 4) == 0) { // at most two in one stretch
        assertEquals(model.expect(key), SstModel.get(reader, key));
      }
    }
    assertEquals(1 + 4, remote.reads.size(), () -> "bytes: " + remote.reads);
    long blocks = remote.reads.stream().skip(1).mapToInt(bytes -> bytes).sum();
    assertTrue(blocks < 4 * (LONE + 2 * OPTIONS.blockBytes()), () -> "bytes: " + remote.reads);
  }

  @Test
  void allThatIsAskedForAtOnceIsReadOnce() {
    SstReader reader = SstReader.open(remote, info, new BlockCache(16 << 20));
    assertEquals(0, reader.beginAll(info.length() - 1), "no room");
    assertEquals(info.length(), reader.beginAll(info.length()));
    readAll(reader);
    int stretches = (int) (info.tailOffset() / FetchPlan.STRETCH_BYTES) + 1;
    assertEquals(1 + stretches, remote.reads.size(), () -> "bytes: " + remote.reads);
  }

  @Test
  void aLongScanHasItsNextMegabyteAskedForBesideIt() throws IOException {
    SstModel many = new SstModel();
    for (int i = 0; i < 2 * ROWS; i++) {
      many.put(SstModel.HASHED, i, new byte[] {(byte) i}, 1, new byte[100]);
    }
    SstInfo large = many.write(memory, "c.sst", OPTIONS);
    SstReader reader = SstReader.open(remote, large, new BlockCache(0));
    SstCursor cursor = reader.cursor(false, new CacheCounters());
    cursor.seekToFirst();
    for (var row : many.entries.entrySet()) {
      String expected =
          Arrays.toString(row.getKey()) + SstModel.describe(row.getKey(), row.getValue().value());
      assertEquals(expected, SstModel.show(cursor));
      cursor.next();
    }
    assertTrue(!cursor.valid);
    long all = remote.reads.stream().mapToLong(bytes -> bytes).sum();
    assertTrue(all < large.length() + 2 * LONE, () -> "bytes: " + remote.reads);
    assertTrue(remote.reads.size() < 6 + large.length() / (1 << 20) + 2, () -> "" + remote.reads);
    assertTrue(remote.beside.get() > 0, "requests beside the scan");
  }

  @Test
  void aSmallSectionComesWithItsIndex() throws IOException {
    SstModel few = new SstModel();
    for (int i = 0; i < 300; i++) {
      few.put(SstModel.HASHED, i, new byte[] {(byte) i}, 1, new byte[100]);
    }
    SstInfo small = few.write(memory, "b.sst", OPTIONS);
    SstReader reader = SstReader.open(remote, small, new BlockCache(16 << 20));
    for (byte[] key : few.entries.keySet()) {
      assertEquals(few.expect(key), SstModel.get(reader, key));
    }
    assertEquals(List.of((int) small.length()), remote.reads);
  }

  @Test
  void nothingLeavesAFullCacheForNeighbours() {
    SstReader reader = SstReader.open(remote, info, new BlockCache(512 << 10));
    readAll(reader);
    int most = remote.reads.stream().skip(1).mapToInt(length -> length).max().orElseThrow();
    int bound = LONE + 2 * OPTIONS.blockBytes();
    assertTrue(most < bound, () -> most + " bytes with one request");
  }

  @Test
  void aDamagedNeighbourHurtsOnlyWhoReadsIt() throws IOException {
    byte[] bytes = memory.read("a.sst", 0, (int) memory.length("a.sst"));
    bytes[SstModel.PADDING + 3 * OPTIONS.blockBytes()] ^= 1;
    memory.put("a.sst", bytes);
    SstReader reader = SstReader.open(remote, info, new BlockCache(16 << 20));
    byte[] first = model.entries.firstKey();
    assertEquals(model.expect(first), SstModel.get(reader, first));
    EngineException damaged = assertThrows(EngineException.class, () -> readAll(reader));
    assertEquals(ErrorCode.CORRUPTION, damaged.code());
  }

  private void readAll(SstReader reader) {
    for (byte[] key : model.entries.keySet()) {
      assertEquals(model.expect(key), SstModel.get(reader, key));
    }
  }
}
