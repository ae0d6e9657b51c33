package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.SstWriter;
import io.groundswell.testing.MemoryObjectStore;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows larger than blocks, mem-table pages and budgets. */
class LargeRowsTest {
  private final MemoryObjectStore disk = new MemoryObjectStore();
  private final EngineServices services =
      EngineServices.create(1 << 20, 1, 1 << 20, InstantSource.system());
  private final Slice out = new Slice();

  @AfterEach
  void close() {
    services.close();
  }

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** The last key byte tells keys with a common beginning apart. */
  private static byte[] key(int seed, int length) {
    byte[] key = bytes(7, length);
    key[length - 1] = (byte) seed;
    return key;
  }

  @ParameterizedTest
  @ValueSource(ints = {16 << 10, (16 << 10) + 1, 1 << 20, 20 << 20})
  void valuesOfAnySizeComeBack(int size) {
    try (EpochStore store = EpochStore.at(disk, StoreOptions.defaults(), services)) {
      try (Transaction batch = store.begin(0, null)) {
        TableSpec table = batch.createTable("t", Layout.HASHED, true);
        for (int i = 0; i < 3; i++) {
          byte[] value = bytes(i, size);
          batch.put(table, i, new byte[] {(byte) i}, 0, 1, value, 0, size);
          assertTrue(batch.get(table, i, new byte[] {(byte) i}, 0, 1, out));
          assertEquals(size, out.length);
        }
        batch.commit();
      }
      try (Snapshot snapshot = store.snapshot(1, null)) {
        TableSpec table = snapshot.table("t");
        for (int i = 0; i < 3; i++) {
          assertTrue(snapshot.get(table, i, new byte[] {(byte) i}, 0, 1, out));
          assertArrayEquals(
              bytes(i, size), Arrays.copyOfRange(out.bytes, out.offset, out.offset + out.length));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void keysUpToTheLimitWorkAndLongerOnesAreRefusedBeforeAnythingIsWritten(Layout layout) {
    try (EpochStore store = EpochStore.at(disk, StoreOptions.defaults(), services)) {
      int[] lengths = {65_535, 65_536, 65_537, InternalKey.MAX_USER_KEY};
      try (Transaction batch = store.begin(0, null)) {
        TableSpec table = batch.createTable("t", layout, true);
        for (int length : lengths) {
          for (int i = 0; i < 3; i++) {
            byte[] value = {(byte) i};
            batch.put(table, 1, key(i, length), 0, length, value, 0, 1);
          }
        }
        int tooLong = InternalKey.MAX_USER_KEY + 1;
        EngineException e = assertThrows(EngineException.class,
            () -> batch.put(table, 1, key(0, tooLong), 0, tooLong, new byte[1], 0, 1));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertTrue(e.getMessage().contains("1048577") && e.getMessage().contains("'t'"));
        EngineException large = assertThrows(EngineException.class,
            () -> batch.put(table, 1, key(0, 1), 0, 1, new byte[0], 0, SstWriter.MAX_VALUE + 1));
        assertEquals(ErrorCode.INVALID_ARGUMENT, large.code());
        assertEquals(12, batch.count(table), "the batch goes on");
        batch.commit();
      }
      try (Snapshot snapshot = store.snapshot(1, null)) {
        TableSpec table = snapshot.table("t");
        for (int length : lengths) {
          for (int i = 0; i < 3; i++) {
            assertTrue(snapshot.get(table, 1, key(i, length), 0, length, out));
            assertEquals(i, out.bytes[out.offset]);
          }
          assertFalse(snapshot.get(table, 1, key(9, length), 0, length, out));
        }
        int rows = 0;
        try (RowCursor cursor = snapshot.scan(table)) {
          while (cursor.next()) {
            rows++;
          }
        }
        assertEquals(12, rows);
      }
    }
  }
}
