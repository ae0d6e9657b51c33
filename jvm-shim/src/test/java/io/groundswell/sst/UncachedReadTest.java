package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.InternalKey;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Point reads of an SST that is far larger than the cache. */
class UncachedReadTest {
  private static final int ROWS = 5_000;

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final SstModel model = new SstModel();

  private SstInfo write(Compression compression) throws IOException {
    for (int i = 0; i < ROWS; i++) {
      byte[] value = new byte[100];
      Arrays.fill(value, (byte) i);
      model.put(SstModel.HASHED, i, new byte[] {(byte) i}, 1, i % 50 == 7 ? null : value);
    }
    return model.write(store, "a.sst", SstOptions.defaults().with(compression));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void valuesStayValidThoughTheBufferIsUsedAgain(Compression compression) throws IOException {
    SstReader reader = SstReader.open(store, write(compression), new BlockCache(32 << 10));
    List<byte[]> keys = new ArrayList<>(model.entries.keySet());
    Collections.shuffle(keys, new Random(1));
    LookupResult found = new LookupResult(); // one for all, as a reader of a store has
    CacheCounters counters = new CacheCounters();
    List<String> expected = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    List<int[]> slices = new ArrayList<>();
    for (byte[] key : keys) {
      int stem = key.length - InternalKey.EPOCH_BYTES;
      int answer = reader.get(key, stem, InternalKey.epochOf(key, key.length), found, counters);
      if (answer == LookupResult.FOUND) {
        values.add(found.value);
        slices.add(new int[] {found.offset, found.offset + found.length});
        expected.add(Arrays.toString(model.entries.get(key).value()));
      } else {
        assertEquals(LookupResult.DELETED, answer);
        assertEquals(null, model.entries.get(key).value());
      }
    }
    assertTrue(counters.misses > keys.size() / 2, counters.misses + " misses");
    for (int i = 0; i < values.size(); i++) {
      int[] slice = slices.get(i);
      assertEquals(
          expected.get(i), Arrays.toString(Arrays.copyOfRange(values.get(i), slice[0], slice[1])));
    }
  }

  @Test
  void aLargeBlockLeavesNoBufferOfItsSizeBehind() throws IOException {
    byte[] large = new byte[3 * SstReader.MAX_BUFFER];
    new Random(2).nextBytes(large);
    model.put(SstModel.HASHED, 1, new byte[] {1, 1}, 1, large);
    SstInfo info = write(Compression.NONE);
    SstReader reader = SstReader.open(store, info, new BlockCache(0));
    LookupResult found = new LookupResult();
    for (byte[] key : model.entries.keySet()) {
      int stem = key.length - InternalKey.EPOCH_BYTES;
      reader.get(key, stem, InternalKey.epochOf(key, key.length), found, new CacheCounters());
      assertTrue(found.buffer(0).length <= SstReader.MAX_BUFFER);
    }
    for (byte[] key : model.entries.keySet()) {
      assertEquals(model.expect(key), SstModel.get(reader, key));
    }
  }

  /** Blocks in the cache are read with what the index knows of them: the one they went in with. */
  @Test
  void readsGoOnWhileAFileIsForgottenAndReadAnew() throws IOException {
    SstReader reader = SstReader.open(store, write(Compression.NONE), new BlockCache(8 << 20));
    List<byte[]> keys = new ArrayList<>(model.entries.keySet());
    SstCursor cursor = reader.cursor(true, new CacheCounters());
    cursor.seekToFirst();
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      assertTrue(cursor.valid);
      String row = Arrays.toString(key) + SstModel.describe(key, model.entries.get(key).value());
      assertEquals(row, SstModel.show(cursor));
      if (i % 500 == 250) {
        reader.forget();
        for (int far = i + 40; far < keys.size(); far += 70) {
          assertEquals(model.expect(keys.get(far)), SstModel.get(reader, keys.get(far)));
        }
      }
      cursor.next();
    }
    assertTrue(!cursor.valid);
  }

  @Test
  void aDamagedBlockIsNamed() throws IOException {
    SstInfo info = write(Compression.NONE);
    byte[] bytes = store.read("a.sst", 0, (int) store.length("a.sst"));
    for (int i = SstModel.PADDING; i < SstModel.PADDING + info.tailOffset(); i += 1000) {
      bytes[i] ^= 1; // in every block
    }
    store.put("a.sst", bytes);
    SstReader reader = SstReader.open(store, info, new BlockCache(0));
    for (byte[] key : model.entries.keySet()) {
      EngineException damaged =
          assertThrows(EngineException.class, () -> SstModel.get(reader, key));
      assertEquals(ErrorCode.CORRUPTION, damaged.code());
      assertTrue(damaged.getMessage().contains("a.sst, block at byte "), damaged.getMessage());
    }
  }
}
