package io.groundswell.engine;

import static io.groundswell.engine.Rows.all;
import static io.groundswell.engine.Rows.delete;
import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.prefix;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpochStoreTest extends StoreFixture {
  @Test
  void aCommitIsOneObjectAndOpensFromFilesAlone() {
    Transaction.Commit first = commit(0, "a", "1");
    assertEquals(1, first.version());
    assertNull(first.baseId());
    assertEquals(1, first.rowsWritten());
    assertEquals(1, folder.objects.size());
    assertEquals(first.bytesWritten(), folder.objects.firstEntry().getValue().length);
    try (Snapshot snapshot = reopened().snapshot(1, null)) {
      assertEquals(first.id(), snapshot.id());
      assertEquals("1", get(snapshot, snapshot.table("t"), "a"));
      assertNull(get(snapshot, snapshot.table("t"), "b"));
      assertEquals(1, snapshot.count(snapshot.table("t")));
    }
  }

  @Test
  void anEmptyBatchIsACommitToo() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      assertEquals(0, batch.commit().rowsWritten());
    }
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals("1", get(snapshot, snapshot.table("t"), "a"));
    }
  }

  /** A commit that failed, and yet is there, may refer to some files of a merge and not to all. */

  /** Of a table that is not counted nobody looks whether a deleted key was there. */
  @Test
  void aKeyThatWasDeletedUnseenInsertedAndDeletedStaysAway() {
    byte[] key = Rows.bytes("a");
    try (Transaction batch = store.begin(0, null)) {
      put(batch, batch.createTable("u", Layout.HASHED, false), "a", "1");
      batch.commit();
    }
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("u");
      Rows.delete(batch, table, "a");
      batch.insert(table, Rows.hash("a"), key, 0, key.length, Rows.bytes("2"), 0, 1);
      Rows.delete(batch, table, "a");
      assertNull(get(batch, table, "a"));
      batch.commit();
    }
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertNull(get(snapshot, snapshot.table("u"), "a"));
    }
  }

  @Test
  void theNextBatchNeedsNoLookAtTheStorage() {
    commit(0, "a", "1");
    long reads = store.metrics().get("manifestsRead");
    store.begin(1, null).abort();
    assertEquals(reads, store.metrics().get("manifestsRead"));
  }

  @Test
  void severalAttemptsAtOneVersionStayApart() {
    commit(0, "a", "0");
    Transaction one = store.begin(1, null);
    Transaction two = store.begin(1, null);
    put(one, one.table("t"), "a", "one");
    put(two, two.table("t"), "a", "two");
    Transaction.Commit first = one.commit();
    Transaction.Commit second = two.commit();
    assertNotEquals(first.id(), second.id());
    try (Snapshot a = store.snapshot(2, first.id()); Snapshot b = store.snapshot(2, second.id());
        Snapshot newest = reopened().snapshot(2, null)) {
      assertEquals("one", get(a, a.table("t"), "a"));
      assertEquals("two", get(b, b.table("t"), "a"));
      assertEquals("two", get(newest, newest.table("t"), "a"));
    }
  }

  @Test
  void anOlderVersionCanBeContinuedAfterNewerOnesExist() {
    commit(0, "a", "1");
    commit(1, "a", "2");
    commit(2, "a", "3");
    commit(1, "b", "x");
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals(List.of("a=1", "b=x"), sorted(snapshot));
    }
    try (Snapshot snapshot = reopened().snapshot(3, null)) {
      assertEquals(List.of("a=3"), sorted(snapshot));
    }
  }

  @Test
  void theLastWriterWinsEvenIfItsClockIsLate() {
    commit(0, "a", "1");
    commit(1, "a", "early clock");
    EngineServices late = EngineServices.create(0, 1, () -> Instant.EPOCH);
    try (EpochStore other = EpochStore.at(folder, StoreOptions.defaults(), late)) {
      Transaction batch = other.begin(1, null);
      put(batch, batch.table("t"), "a", "late clock");
      batch.commit();
    }
    late.close();
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals(List.of("a=late clock"), sorted(snapshot));
    }
  }

  @Test
  void aBatchSeesItsOwnWritesAndNobodyElseDoes() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null); Snapshot snapshot = store.snapshot(1, null)) {
      TableSpec table = batch.table("t");
      put(batch, table, "a", "2");
      put(batch, table, "b", "3");
      delete(batch, table, "a");
      assertNull(get(batch, table, "a"));
      assertEquals(List.of("b=3"), sorted(batch));
      assertEquals(1, batch.count(table));
      assertEquals(List.of("a=1"), sorted(snapshot));
    }
    assertEquals(1, folder.objects.size(), "an aborted batch leaves nothing");
  }

  @Test
  void aDeleteOfAKeyThatIsNowhereWritesNothing() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      delete(batch, table, "none");
      put(batch, table, "b", "1");
      delete(batch, table, "b");
      assertEquals(1, batch.count(table));
      assertEquals(0, batch.commit().rowsWritten());
    }
  }

  @Test
  void removingWhileScanningDoesNotDisturbTheScan() {
    try (Transaction batch = store.begin(0, null)) {
      TableSpec table = batch.createTable("t", Layout.HASHED, true);
      for (int i = 0; i < 100; i++) {
        put(batch, table, "g:" + (100 + i), "v");
      }
      batch.commit();
    }
    try (Transaction batch = store.begin(1, null)) {
      TableSpec table = batch.table("t");
      for (int i = 100; i < 150; i++) {
        put(batch, table, "g:" + (100 + i), "w");
      }
      int seen = 0;
      try (RowCursor rows = prefix(batch, table, "g:")) {
        while (rows.next()) {
          delete(batch, table, Rows.text(rows.key()));
          put(batch, table, "g:9" + seen, "new");
          seen++;
        }
      }
      assertEquals(150, seen);
      assertEquals(150, batch.count(table));
      assertEquals(150, all(prefix(batch, table, "g:9")).size());
    }
  }

  @Test
  @Reaches(Mark.COMMIT_DROPS_DEAD_FILE)
  void aDroppedTableIsGoneAndItsNameIsFree() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      TableSpec old = batch.table("t");
      put(batch, old, "b", "2");
      assertTrue(batch.dropTable("t"));
      assertFalse(batch.dropTable("t"));
      assertCode(ErrorCode.INVALID_ARGUMENT, () -> get(batch, old, "a"));
      TableSpec fresh = batch.createTable("t", Layout.ORDERED, true);
      assertNotEquals(old.id(), fresh.id());
      assertNull(get(batch, fresh, "a"));
      assertEquals(0, batch.count(fresh));
      assertEquals(0, batch.commit().rowsWritten());
    }
    try (Snapshot snapshot = reopened().snapshot(2, null)) {
      assertEquals(List.of(), all(snapshot.scan(snapshot.table("t"))));
      assertEquals(0, store.metrics().get("files"), "a file with dropped rows only is left out");
    }
  }

  @Test
  void aTableKeepsItsLayout() {
    commit(0, "a", "1");
    try (Transaction batch = store.begin(1, null)) {
      assertCode(ErrorCode.INVALID_ARGUMENT, () -> batch.createTable("t", Layout.ORDERED, true));
      assertEquals(batch.table("t"), batch.createTable("t", Layout.HASHED, true));
    }
  }

  @Test
  void aMissingVersionSaysWhatThereIs() {
    commit(0, "a", "1");
    EngineException error = assertThrows(EngineException.class, () -> reopened().snapshot(7, null));
    assertEquals(ErrorCode.VERSION_UNAVAILABLE, error.code());
    assertTrue(error.getMessage().contains(folder.location()), error.getMessage());
    assertTrue(error.getMessage().contains("version 7"), error.getMessage());
    assertTrue(error.getMessage().contains("from 1 to 1"), error.getMessage());
    assertCode(ErrorCode.VERSION_UNAVAILABLE, () -> store.begin(1, "00000000000000000000"));
  }

  @Test
  void nothingCanBeDoneWithABatchThatEnded() {
    Transaction batch = store.begin(0, null);
    TableSpec table = batch.createTable("t", Layout.HASHED, true);
    batch.commit();
    assertCode(ErrorCode.ILLEGAL_STATE, () -> get(batch, table, "a"));
    assertCode(ErrorCode.ILLEGAL_STATE, () -> put(batch, table, "a", "1"));
    assertCode(ErrorCode.ILLEGAL_STATE, batch::commit);
    batch.abort();
    batch.close();
  }
}
