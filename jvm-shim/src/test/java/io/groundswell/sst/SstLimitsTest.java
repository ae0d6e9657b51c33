package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.filter.FilterKey;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.InternalKey;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Large and wrong input, and what reading costs. */
class SstLimitsTest {
  private static final String NAME = FileNames.sst(1, "0123456789abcdef0123");
  private static final byte[] NONE = new byte[0];

  private static SstWriter writer() {
    return new SstWriter(new ByteArrayOutputStream(), 0, SstOptions.defaults(), SstModel::layout);
  }

  private static EngineException refused(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(EngineException.class, call);
  }

  @Test
  void largestKeyAndValuesBeyondABlockSurvive() throws Exception {
    byte[] user = new byte[InternalKey.MAX_USER_KEY];
    Arrays.fill(user, (byte) 3);
    byte[] large = new byte[3 << 20];
    new Random(1).nextBytes(large);
    SstModel model = new SstModel();
    model.put(SstModel.HASHED, 5, user, 9, large);
    model.put(SstModel.HASHED, 6, new byte[] {1}, 9, new byte[] {2});
    for (Compression compression : Compression.values()) {
      SstReader reader = model.open(new SstOptions(4096, 10, compression));
      byte[] key = SstModel.key(SstModel.HASHED, 5, user, 9);
      LookupResult found = new LookupResult();
      assertEquals(
          LookupResult.FOUND, reader.get(key, key.length - 8, 9, found, new CacheCounters()));
      assertArrayEquals(
          large, Arrays.copyOfRange(found.value, found.offset, found.offset + found.length));
    }
  }

  @Test
  void tooLongKeyIsRefusedWithItsTable() {
    byte[] user = new byte[InternalKey.MAX_USER_KEY + 1];
    EngineException e =
        refused(() -> InternalKey.encode(SstModel.HASHED, 1, user, 0, user.length, 1, NONE, 0));
    assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    assertTrue(e.getMessage().contains("'hashed'") && e.getMessage().contains("1048577"));
    assertEquals(ErrorCode.INVALID_ARGUMENT,
        refused(()
                    -> writer().add(new byte[InternalKey.MAX_LENGTH + 1],
                        InternalKey.MAX_LENGTH + 1, true, NONE, 0, 0))
            .code());
  }

  @Test
  void keysOutOfOrderAndMisuseAreRefused() throws IOException {
    byte[] low = SstModel.key(SstModel.HASHED, 1, new byte[] {1}, 5);
    byte[] older = SstModel.key(SstModel.HASHED, 1, new byte[] {1}, 4);
    SstWriter writer = writer();
    writer.add(older, older.length, true, NONE, 0, 0);
    assertEquals(ErrorCode.INVALID_ARGUMENT,
        refused(() -> writer.add(low, low.length, true, NONE, 0, 0)).code());
    assertEquals(ErrorCode.INVALID_ARGUMENT,
        refused(() -> writer.add(older, older.length, true, NONE, 0, 0)).code());
    byte[] negative = SstModel.key(SstModel.HASHED, 9, new byte[] {1}, -1);
    assertEquals(ErrorCode.INVALID_ARGUMENT,
        refused(() -> writer.add(negative, negative.length, true, NONE, 0, 0)).code());
    assertEquals(1, writer.finish("x").entries());
    assertEquals(ErrorCode.ILLEGAL_STATE, refused(() -> writer.finish("x")).code());
    assertEquals(ErrorCode.ILLEGAL_STATE, refused(() -> writer().finish("x")).code());
  }

  @Test
  void openingAndOneReadCostTwoSmallReads() throws IOException {
    SstModel model = SstModel.random(new Random(3), 20_000);
    MemoryObjectStore store = new MemoryObjectStore();
    SstInfo info = model.write(store, "a.sst", new SstOptions(4096, 10, Compression.NONE));
    SstReader reader = SstReader.open(store, info, new BlockCache(1 << 20));
    assertEquals(0, store.reads.get());
    byte[] key = model.entries.firstKey();
    assertEquals(model.expect(key), SstModel.get(reader, key));
    assertEquals(2, store.reads.get());
    assertTrue(store.bytesRead.get() < info.length() / 10, store.bytesRead + " of " + info);
    assertEquals(model.expect(key), SstModel.get(reader, key));
    assertEquals(2, store.reads.get());
  }

  @Test
  void scanReadsAheadAndLeavesTheCacheAlone() throws IOException {
    SstModel model = SstModel.random(new Random(4), 20_000);
    MemoryObjectStore store = new MemoryObjectStore();
    SstInfo info = model.write(store, "a.sst", new SstOptions(4096, 10, Compression.NONE));
    BlockCache cache = new BlockCache(64 << 20);
    SstReader reader = SstReader.open(store, info, cache);
    reader.mayContain(new FilterKey().set(1, 1));
    long before = cache.usedBytes();
    SstCursor cursor = reader.cursor(false, new CacheCounters());
    int rows = 0;
    for (cursor.seekToFirst(); cursor.valid; cursor.next()) {
      rows++;
    }
    assertEquals(model.entries.size(), rows);
    assertEquals(before, cache.usedBytes());
    assertTrue(store.reads.get() < info.blocks() / 4, store.reads + " reads, " + info.blocks());
    assertFalse(store.bytesRead.get() > 2 * info.length());
  }

  @Test
  void estimateIsCloseAndRecordSurvivesItsEncoding() throws IOException {
    SstModel model = SstModel.random(new Random(5), 5000);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SstWriter writer = new SstWriter(out, 0, SstOptions.defaults(), SstModel::layout);
    for (var entry : model.entries.entrySet()) {
      byte[] value = entry.getValue().value();
      byte[] key = entry.getKey();
      writer.add(key, key.length, value == null, value == null ? NONE : value, 0,
          value == null ? 0 : value.length);
    }
    long estimate = writer.estimatedSize();
    SstInfo info = writer.finish(NAME);
    assertEquals(out.size(), info.length());
    assertEquals(1.0, (double) estimate / info.length(), 0.05);
    var bytes = new io.groundswell.storage.ByteWriter(16);
    info.encode(bytes);
    var in = new io.groundswell.storage.ByteReader("t", bytes.array(), 0, bytes.size());
    assertEquals(info, SstInfo.decode(in));
    in.expectEnd();
  }

  @Test
  void damagedRecordIsRefusedOrARecord() throws IOException {
    SstInfo info = SstModel.random(new Random(6), 5)
                       .write(new MemoryObjectStore(), NAME, SstOptions.defaults());
    var bytes = new io.groundswell.storage.ByteWriter(16);
    info.encode(bytes);
    Seeds.each(3000, random -> {
      byte[] bad = Arrays.copyOf(bytes.array(), random.nextInt(bytes.size() + 1));
      for (int flips = random.nextInt(3); flips > 0 && bad.length > 0; flips--) {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
      }
      try {
        SstInfo.decode(new io.groundswell.storage.ByteReader("manifest", bad, 0, bad.length));
      } catch (EngineException e) {
        assertEquals(ErrorCode.CORRUPTION, e.code());
      }
    });
  }
}
