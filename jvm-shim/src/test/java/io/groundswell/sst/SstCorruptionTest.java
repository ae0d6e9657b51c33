package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.Checksum;
import io.groundswell.testing.MemoryObjectStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happened to a file: the right answer, or an error that names it. */
class SstCorruptionTest {
  private final MemoryObjectStore store = new MemoryObjectStore();

  private SstInfo write(Compression compression) throws Exception {
    SstModel model = SstModel.random(new Random(42), 40);
    return model.write(store, "a.sst", new SstOptions(512, 10, compression));
  }

  /** All that can be read, as text. */
  private String readAll(SstInfo info) {
    return readAll(info, Integer.MAX_VALUE);
  }

  private String readAll(SstInfo info, int smallTail) {
    SstReader reader = SstReader.open(store, info, new BlockCache(1 << 20), smallTail);
    StringBuilder all = new StringBuilder();
    List<byte[]> keys = new ArrayList<>();
    SstCursor cursor = reader.cursor(false, new CacheCounters());
    for (cursor.seekToFirst(); cursor.valid; cursor.next()) {
      all.append(SstModel.show(cursor)).append('\n');
      keys.add(Arrays.copyOf(cursor.key, cursor.keyLength));
    }
    for (byte[] key : keys) {
      all.append(SstModel.get(reader, key)).append('\n');
    }
    return all.toString();
  }

  private static EngineException refused(Supplier<?> read) {
    return assertThrows(EngineException.class, read::get);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void everyFlippedByteIsNoticed(Compression compression) throws Exception {
    SstInfo info = write(compression);
    byte[] good = store.objects.get("a.sst");
    String right = readAll(info);
    int noticed = 0;
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= (byte) (1 << i % 8);
      store.objects.put("a.sst", bad);
      boolean inside = i >= info.offset() && i < info.offset() + info.length();
      if (inside) {
        EngineException e = refused(() -> readAll(info));
        assertEquals(ErrorCode.CORRUPTION, e.code(), "byte " + i);
        assertTrue(e.getMessage().contains(store.location() + "/a.sst"), e.getMessage());
        noticed++;
        assertEquals(ErrorCode.CORRUPTION, refused(() -> readAll(info, SstFooter.BYTES)).code(),
            "byte " + i);
      } else {
        assertEquals(right, readAll(info), "byte " + i);
        assertEquals(right, readAll(info, SstFooter.BYTES), "byte " + i);
      }
    }
    assertEquals(info.length(), noticed);
  }

  @Test
  void everyTruncationIsNoticed() throws Exception {
    SstInfo info = write(Compression.NONE);
    byte[] good = store.objects.get("a.sst");
    for (int length = 0; length < info.offset() + info.length(); length += 7) {
      store.objects.put("a.sst", Arrays.copyOf(good, length));
      assertEquals(ErrorCode.CORRUPTION, refused(() -> readAll(info)).code());
      assertEquals(ErrorCode.CORRUPTION, refused(() -> readAll(info, SstFooter.BYTES)).code());
    }
  }

  @Test
  void missingFileIsNamed() throws Exception {
    SstInfo info = write(Compression.NONE);
    store.objects.clear();
    EngineException e = refused(() -> readAll(info));
    assertEquals(ErrorCode.VERSION_UNAVAILABLE, e.code());
    assertEquals(
        ErrorCode.VERSION_UNAVAILABLE, refused(() -> readAll(info, SstFooter.BYTES)).code());
    assertTrue(e.getMessage().contains(store.location() + "/a.sst"), e.getMessage());
  }

  @Test
  void newerMajorFormatIsRefusedAndNewerMinorIsRead() throws Exception {
    SstInfo info = write(Compression.NONE);
    String right = readAll(info);
    byte[] bytes = store.objects.get("a.sst");
    int footer = (int) (info.offset() + info.length()) - SstFooter.BYTES;
    bytes[footer + 51] = 9;
    sealFooter(bytes, footer);
    assertEquals(right, readAll(info));
    bytes[footer + 49] = 2;
    sealFooter(bytes, footer);
    EngineException e = refused(() -> readAll(info));
    assertEquals(ErrorCode.FORMAT_TOO_NEW, e.code());
    assertTrue(e.getMessage().contains("2.9"), e.getMessage());
  }

  private static void sealFooter(byte[] bytes, int footer) {
    putInt(bytes, footer + 52, Checksum.of(bytes, footer, SstFooter.BYTES - 12));
  }

  private static void putInt(byte[] bytes, int at, int value) {
    for (int i = 0; i < 4; i++) {
      bytes[at + i] = (byte) (value >>> 24 - 8 * i);
    }
  }
}
