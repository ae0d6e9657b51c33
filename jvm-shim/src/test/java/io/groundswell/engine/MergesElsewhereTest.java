package io.groundswell.engine;

import static io.groundswell.engine.Rows.get;
import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.compaction.MergeRecord;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.Compression;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A writer that does not merge, and another process that does. */
class MergesElsewhereTest extends StoreFixture {
  private static final int AT = 4;
  private final MemoryObjectStore objects = new MemoryObjectStore();
  private final StoreOptions options = new StoreOptions(64, AT, 10, 4096, Compression.NONE);

  private EpochStore process() {
    return EpochStore.at(objects, options, services);
  }

  private String write(EpochStore writer, long version, String id) {
    try (Transaction batch = writer.begin(version, id)) {
      var table = batch.createTable("t", Layout.HASHED, true);
      for (int row = 0; row < 20; row++) {
        put(batch, table, "row " + (version * 7 + row) % 50, version + " " + row);
      }
      return batch.commit().id();
    }
  }

  private static long subLevels(EpochStore store, long version, String id) {
    return store.open(version, id).version.levels().subLevels().size();
  }

  @Test
  void theWriterLeavesMergesToTheOtherAndTakesThemIn() {
    try (EpochStore writer = process(); EpochStore other = process()) {
      writer.merges().elsewhere(true);
      String id = null;
      long most = 0;
      for (long version = 0; version < 40; version++) {
        id = write(writer, version, id);
        List<byte[]> told = new ArrayList<>();
        for (byte[] done = other.merges().next(version + 1, id, told, () -> false); done != null;
            done = other.merges().next(version + 1, id, told, () -> false)) {
          told.add(done);
          writer.merges().accept(done);
        }
        most = Math.max(most, subLevels(writer, version + 1, id));
      }
      assertTrue(most <= 2 * AT, "sub-levels: " + most);
      assertEquals(0, writer.metrics().get("compactionRuns"), "the writer has merged nothing");
      try (Snapshot last = process().snapshot(40, id)) {
        assertEquals("39 0", get(last, last.table("t"), "row " + 39 * 7 % 50));
      }
    }
  }

  @Test
  void whereTheOtherDoesNothingTheWriterMergesInTheEnd() {
    try (EpochStore writer = process()) {
      writer.merges().elsewhere(true);
      String id = null;
      for (long version = 0; version < 60; version++) {
        id = write(writer, version, id);
        writer.awaitMerges(1_000);
      }
      assertTrue(subLevels(writer, 60, id) <= 3 * AT);
    }
  }

  @Test
  void twoOthersDoTheSameWorkAndOneIsTakenIn() {
    try (EpochStore writer = process(); EpochStore one = process(); EpochStore two = process()) {
      writer.merges().elsewhere(true);
      String id = null;
      for (long version = 0; version < AT; version++) {
        id = write(writer, version, id);
      }
      byte[] first = one.merges().next(AT, id, List.of(), () -> false);
      byte[] second = two.merges().next(AT, id, List.of(), () -> false);
      assertNotEquals(Arrays.toString(first), Arrays.toString(second));
      assertNull(one.merges().next(AT, id, List.of(second), () -> false), "it is told of it");
      writer.merges().accept(first);
      writer.merges().accept(second);
      writer.merges().accept(second); // told twice
      id = write(writer, AT, id);
      assertEquals(1, subLevels(writer, AT + 1, id));
      id = write(writer, AT + 1, id);
      try (Snapshot last = process().snapshot(AT + 2, id)) {
        assertEquals("5 0", get(last, last.table("t"), "row 35"));
      }
    }
  }

  @Test
  void whatIsTooLateOrGoneIsNotTakenIn() {
    try (EpochStore writer = process(); EpochStore other = process()) {
      writer.merges().elsewhere(true);
      String id = null;
      for (long version = 0; version < AT; version++) {
        id = write(writer, version, id);
      }
      byte[] done = other.merges().next(AT, id, List.of(), () -> false);
      other.merges().discard(done);
      writer.merges().accept(done);
      id = write(writer, AT, id);
      assertEquals(AT + 1, subLevels(writer, AT + 1, id));
    }
  }

  @Test
  void aRecordIsReadAsItWasWrittenAndADamagedOneIsRefused() {
    try (EpochStore writer = process()) {
      writer.merges().elsewhere(true);
      String id = null;
      for (long version = 0; version < AT; version++) {
        id = write(writer, version, id);
      }
      byte[] done = writer.merges().next(AT, id, List.of(), () -> false);
      assertArrayEquals(done, MergeRecord.decode("a record", done).encode());
      for (int length = 0; length < done.length; length++) {
        byte[] cut = Arrays.copyOf(done, length);
        EngineException refused =
            assertThrows(EngineException.class, () -> MergeRecord.decode("a record", cut));
        assertEquals(ErrorCode.CORRUPTION, refused.code());
      }
    }
  }

  @Test
  @Reaches({Mark.MERGE_CANCELLED, Mark.MERGE_ELSEWHERE_FAILED})
  void aMergeThatIsCancelledLeavesNoFile() {
    StoreOptions large = new StoreOptions(64, AT, 10, 1 << 20, Compression.NONE);
    try (EpochStore writer = EpochStore.at(objects, large, services)) {
      writer.merges().elsewhere(true);
      String id = null;
      for (long version = 0; version < AT; version++) {
        try (Transaction batch = writer.begin(version, id)) {
          var table = batch.createTable("t", Layout.HASHED, true);
          for (int row = 0; row < 1_500; row++) {
            put(batch, table, "row " + row, "" + version);
          }
          id = batch.commit().id();
        }
      }
      String last = id;
      List<String> before = List.copyOf(objects.objects.keySet());
      assertThrows(
          CancellationException.class, () -> writer.merges().next(AT, last, List.of(), () -> true));
      assertEquals(before, List.copyOf(objects.objects.keySet()));
    }
  }

  @Test
  void aMergeOfLargeRowsIsCancelledBetweenItsFiles() {
    try (EpochStore writer = process()) {
      writer.merges().elsewhere(true);
      String id = null;
      for (long version = 0; version < AT; version++) {
        try (Transaction batch = writer.begin(version, id)) {
          var table = batch.createTable("t", Layout.HASHED, true);
          for (int row = 0; row < 20; row++) {
            put(batch, table, "row " + row, "value".repeat(300) + version);
          }
          id = batch.commit().id();
        }
      }
      String last = id;
      List<String> before = List.copyOf(objects.objects.keySet());
      assertThrows(CancellationException.class,
          ()
              -> writer.merges().next(
                  AT, last, List.of(), () -> objects.objects.size() > before.size()));
      assertEquals(before, List.copyOf(objects.objects.keySet()));
    }
  }
}
