package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WatermarkTest {
  private final MemoryObjectStore folder = new MemoryObjectStore();
  private final EngineServices services = EngineServices.create(1 << 20, 1);
  private final EpochStore store = EpochStore.at(folder, new StoreOptions(512, 1000, 10), services);

  @AfterEach
  void close() {
    store.close();
    services.close();
  }

  private void write(long base, Layout layout, int from, int to) {
    try (Transaction batch = store.begin(base, null)) {
      TableSpec table = batch.createTable("t", layout, true);
      for (int i = from; i < to; i++) {
        Rows.put(batch, table, String.format("%03d", i), "v" + i);
      }
      batch.commit();
    }
  }

  private void move(long base, String bound) {
    try (Transaction batch = store.begin(base, null)) {
      batch.watermark(batch.table("t"), Rows.bytes(bound));
      batch.commit();
    }
  }

  private int rows(long version) {
    try (Snapshot snapshot = store.snapshot(version, null)) {
      return Rows.all(snapshot.scan(snapshot.table("t"))).size();
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void readersOfEachVersionSeeItsWatermark(Layout layout) {
    write(0, layout, 0, 100);
    move(1, "040");
    move(2, "070");
    assertEquals(List.of(100, 60, 30), List.of(rows(1), rows(2), rows(3)));
    try (Snapshot snapshot = store.snapshot(2, null)) {
      TableSpec table = snapshot.table("t");
      assertNull(Rows.get(snapshot, table, "039"));
      assertEquals("v40", Rows.get(snapshot, table, "040"));
      assertEquals(100, snapshot.count(table), "dead rows stay counted");
      assertThrows(EngineException.class, () -> snapshot.asOf(1), "the rows were alive then");
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  @Reaches({Mark.GET_BELOW_WATERMARK, Mark.PUT_BELOW_WATERMARK, Mark.DELETE_BELOW_WATERMARK})
  void itNeverMovesBackAndDeadRowsAreNotWritten(Layout layout) {
    write(0, layout, 0, 10);
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      assertTrue(batch.watermark(table, Rows.bytes("005")));
      assertFalse(batch.watermark(table, Rows.bytes("004")));
      assertFalse(batch.watermark(table, Rows.bytes("005")));
      Rows.put(batch, table, "001", "late");
      Rows.delete(batch, table, "002");
      assertNull(Rows.get(batch, table, "001"));
      assertEquals(5, Rows.all(batch.scan(table)).size());
      assertEquals(0, batch.commit().rowsWritten());
    }
  }

  /** Rows that the batch has not written are sought in files alone, by the batch's watermark. */
  @Test
  void rowsBeforeABatchAreThoseAboveItsWatermark() {
    write(0, Layout.HASHED, 0, 10);
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      assertEquals(List.of("003=v3"), before(batch, table, "003"));
      batch.watermark(table, Rows.bytes("005"));
      assertEquals(List.of(), before(batch, table, "003"));
      assertEquals(List.of("005=v5"), before(batch, table, "005"));
    }
  }

  private static List<String> before(Transaction batch, TableSpec table, String key) {
    byte[] bytes = Rows.bytes(key);
    return Rows.all(batch.prefixBefore(table, Rows.hash(key), bytes, 0, bytes.length));
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void aMergeDropsDeadRowsAndWritesNoTombstone(Layout layout) {
    write(0, layout, 0, 100);
    move(1, "040");
    assertTrue(store.compact(2, null));
    assertEquals(40, store.metrics().get("compactionEntriesDropped"));
    move(2, "041");
    assertEquals(List.of(100, 60, 59), List.of(rows(1), rows(2), rows(3)));
  }

  /** Not one byte of them is read: they are gone from the storage before. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void filesThatAreDeadAsWholesGoUnread(Layout layout) {
    write(0, layout, 0, 50);
    write(1, layout, 50, 100);
    folder.objects.keySet().removeIf(name -> name.startsWith("00000000000000000001-"));
    move(2, "050");
    assertEquals(1, store.metrics().get("filesDropped"));
    assertEquals(50, rows(3));
  }

  /** An older version that is continued has rows that the merge of a newer one took for dead. */
  @Test
  @Reaches(Mark.MERGE_RESULT_TOO_LATE)
  void aMergeIsNotTakenInBelowItsWatermark() {
    write(0, Layout.ORDERED, 0, 100);
    write(1, Layout.ORDERED, 50, 60);
    move(2, "040");
    assertTrue(store.compact(3, null));
    write(2, Layout.ORDERED, 0, 1);
    assertEquals(100, rows(3), "the newest attempt at version 3 moved no watermark");
    assertEquals(1, store.metrics().get("compactionsDiscarded"));
  }

  @Test
  void tombstonesOfKeysThatExistNowhereAreNotWritten() {
    write(0, Layout.HASHED, 0, 10);
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      Rows.put(batch, table, "new", "v");
      Rows.delete(batch, table, "new");
      Rows.delete(batch, table, "never");
      assertEquals(0, batch.commit().rowsWritten());
    }
  }
}
