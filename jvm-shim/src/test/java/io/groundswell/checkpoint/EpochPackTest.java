package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.MemoryObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EpochPackTest {
  private final MemoryObjectStore storage = new MemoryObjectStore();
  private final EpochPacks packs = new EpochPacks(storage);

  private static String pack(int group, long epoch) {
    return EpochIds.packOf(EpochIds.id(group, epoch, 7));
  }

  @Test
  void anIdTellsItsPackAndNoOtherIdDoes() {
    String id = EpochIds.id(EpochIds.OWN, 0x1_2345_6789L, -2);
    assertEquals("001123456789fffffffe", id);
    assertTrue(EpochIds.isPacked(id));
    assertEquals(EpochIds.OWN, EpochIds.groupOf(id));
    assertEquals(0x1_2345_6789L, EpochIds.epochOf(id));
    assertEquals("00000000004886718345-" + id + ".pack", EpochIds.packOf(id));
    assertEquals(id, EpochIds.idOf(EpochIds.packOf(id)));
    assertNull(EpochIds.idOf(PackNames.pack(3, id)), "of another epoch than its id says");
    assertFalse(EpochIds.isPacked(FileNames.newId(System.currentTimeMillis())));
    assertNull(EpochIds.idOf(PackNames.pack(3, FileNames.newId(System.currentTimeMillis()))));
  }

  @Test
  void commitsAreReadFromMemoryThenFromTheObjectByItsIndex() throws IOException {
    EpochPack pack = packs.begin(EpochIds.READABLE, 5);
    String older = pack(EpochIds.READABLE, 3);
    CommitSpace.PackEnd first = pack.end("view-a/0");
    first.append(9, new byte[] {1, 2, 3}, Map.of(older, 70L));
    CommitSpace.PackEnd second = pack.end("view-b/1");
    assertEquals(3, second.offset());
    second.append(4, new byte[] {4}, Map.of(second.pack(), 1L));
    assertArrayEquals(new byte[] {3, 4}, packs.read(first.pack(), 2, 2));
    assertEquals(List.of(), storage.list(""));
    pack.publish();

    EpochPacks others = new EpochPacks(storage);
    for (EpochPacks reader : List.of(packs, others)) {
      assertArrayEquals(new byte[] {4}, reader.read(first.pack(), 3, 1));
      SealedCommit a = new EpochSpace(reader, "view-a/0").find(9, first.id());
      assertEquals(0, a.offset());
      assertEquals(3, a.length());
      assertEquals(Map.of(older, 70L, first.pack(), 0L), a.packs(), "its manifest is in there");
      assertNull(new EpochSpace(reader, "view-a/0").find(8, first.id()));
      assertNull(new EpochSpace(reader, "view-a/1").find(9, first.id()));
      assertEquals(List.of(Map.entry(4L, new EpochSpace(reader, "view-b/1").find(4, first.id()))),
          new EpochSpace(reader, "view-b/1").all(4));
    }
  }

  /** An executor that writes for ever does not remember for ever. */
  @Test
  void anIndexThatNobodyAsksForIsForgotten() throws IOException {
    EpochPack one = packs.begin(EpochIds.READABLE, 1);
    CommitSpace.PackEnd asked = one.end("view-a/0");
    asked.append(1, new byte[] {1}, Map.of());
    one.publish();
    EpochPack other = packs.begin(EpochIds.READABLE, 1);
    CommitSpace.PackEnd alone = other.end("view-b/0");
    alone.append(1, new byte[] {2}, Map.of());
    other.publish();
    for (long epoch = 2; epoch <= EpochPacks.REMEMBERED_EPOCHS + 2; epoch++) {
      assertTrue(packs.remembers(asked.pack()), "asked for at each epoch");
      packs.begin(EpochIds.READABLE, epoch).discard();
    }
    assertFalse(packs.remembers(alone.pack()));
    assertEquals(1, new EpochSpace(packs, "view-b/0").find(1, alone.id()).length(), "read anew");
  }

  @Test
  void whatWasDiscardedIsGoneAndNothingWasWritten() throws IOException {
    EpochPack pack = packs.begin(EpochIds.OWN, 5);
    CommitSpace.PackEnd end = pack.end("aggregate-a/0");
    end.append(1, new byte[] {1}, Map.of());
    pack.discard();
    assertThrows(FileNotFoundException.class, () -> packs.read(end.pack(), 0, 1));
    assertEquals(List.of(), packs.names());
  }

  @Test
  void aPackIsNeverWrittenOverAnother() throws IOException {
    EpochPacks same = new EpochPacks(storage, () -> 1);
    EpochPacks elsewhere = new EpochPacks(storage, () -> 1);
    EpochPack one = same.begin(EpochIds.OWN, 5);
    EpochPack other = elsewhere.begin(EpochIds.OWN, 5);
    one.end("a/0").append(1, new byte[] {1}, Map.of());
    one.publish();
    other.end("a/0").append(1, new byte[] {2}, Map.of());
    assertThrows(IOException.class, other::publish);
    assertArrayEquals(new byte[] {1}, same.read(EpochIds.packOf(EpochIds.id(1, 5, 1)), 0, 1));
  }

  @Test
  void aDamagedPackIsRefusedWhateverByteOfItsIndexIsAnother() throws IOException {
    EpochPack pack = packs.begin(EpochIds.READABLE, 5);
    CommitSpace.PackEnd end = pack.end("view-a/0");
    end.append(9, new byte[100], Map.of(pack(EpochIds.READABLE, 2), 5L));
    pack.publish();
    byte[] bytes = storage.read(end.pack(), 0, (int) storage.length(end.pack()));
    Random random = new Random(1);
    for (int at = 100; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      storage.put(end.pack(), damaged);
      EngineException e =
          assertThrows(EngineException.class, () -> new EpochPacks(storage).index(end.pack()));
      assertEquals(ErrorCode.CORRUPTION, e.code(), "byte " + at);
    }
    storage.put(end.pack(), java.util.Arrays.copyOf(bytes, bytes.length - 1));
    assertThrows(EngineException.class, () -> new EpochPacks(storage).index(end.pack()));
  }

  @Test
  void ofEachGroupWhatItsOldestEpochDoesNotNeedGoes() {
    List<String> names = List.of(pack(0, 3), pack(0, 5), pack(0, 6), pack(1, 5), pack(1, 8),
        pack(1, 9), PackNames.index(1, "01a1fead686f51d3d094"));
    assertEquals(List.of(pack(0, 5), pack(1, 8)),
        EpochPackRetention.deletable(
            names, Set.of(pack(0, 3), pack(1, 5)), new EpochPackRetention.Bounds(5, 8)));
  }

  @Test
  void aRunThatWasFollowedDeletesNothing() throws IOException {
    EpochPack pack = packs.begin(EpochIds.READABLE, 1);
    pack.end("view-a/0").append(1, new byte[1], Map.of());
    pack.publish();
    EpochPackRetention.Bounds bounds = new EpochPackRetention.Bounds(4, 4);
    assertThrows(
        IOException.class, () -> EpochPackRetention.run(packs, bounds, Set::of, Set::of, () -> {
          throw new IOException("followed");
        }));
    assertEquals(1, packs.names().size());
    assertEquals(0,
        EpochPackRetention.run(packs, bounds, Set::of, () -> Set.copyOf(namesOf(packs)), () -> {}),
        "somebody reads it");
    assertEquals(1, EpochPackRetention.run(packs, bounds, Set::of, Set::of, () -> {}));
    assertEquals(List.of(), packs.names());
  }

  private static List<String> namesOf(EpochPacks packs) {
    try {
      return packs.names();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
