package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Iterator;
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

  /** A commit whose manifest has no bytes. */
  private static boolean append(
      EpochPack pack, String store, long version, byte[] bytes, Map<String, Long> needs) {
    return pack.append(store, version, bytes, new Destination.Tail() {
      @Override
      public byte[] at(String id, String name, long offset) {
        assertEquals(EpochIds.packOf(id), name);
        assertEquals(pack.bytes().length(), offset);
        return new byte[0];
      }

      @Override
      public Map<String, Long> packs() {
        return needs;
      }
    });
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
  @Reaches(Mark.PACK_ID_TAKEN)
  void twoOpenPacksHaveTwoNames() {
    Iterator<Integer> random = List.of(7, 7, 8).iterator();
    EpochPacks same = new EpochPacks(storage, () -> random.next());
    assertEquals(pack(EpochIds.READABLE, 5), same.begin(EpochIds.READABLE, 5).name());
    assertNotEquals(pack(EpochIds.READABLE, 5), same.begin(EpochIds.READABLE, 5).name());
  }

  @Test
  @Reaches(Mark.PACK_INDEX_IS_LONG)
  void aPackOfManyCommitsIsFoundByItsIndex() throws IOException {
    int stores = 3_000;
    EpochPack pack = packs.begin(EpochIds.READABLE, 5);
    for (int store = 0; store < stores; store++) {
      append(pack, "view-a/" + store, 1 + store % 7, new byte[] {(byte) store}, Map.of());
    }
    pack.publish();
    EpochPacks others = new EpochPacks(storage);
    String id = EpochIds.idOf(pack.name());
    for (int store = 0; store < stores; store += 99) {
      FinishedCommit found = new EpochSpace(others, "view-a/" + store).find(1 + store % 7, id);
      assertArrayEquals(new byte[] {(byte) store}, others.read(found.pack(), found.offset(), 1));
    }
  }

  @Test
  void commitsAreReadFromMemoryThenFromTheObjectByItsIndex() throws IOException {
    EpochPack pack = packs.begin(EpochIds.READABLE, 5);
    String older = pack(EpochIds.READABLE, 3);
    String name = pack.name();
    String id = EpochIds.idOf(name);
    append(pack, "view-a/0", 9, new byte[] {1, 2, 3}, Map.of(older, 70L));
    append(pack, "view-b/1", 4, new byte[] {4}, Map.of(name, 1L));
    assertArrayEquals(new byte[] {3, 4}, packs.read(name, 2, 2));
    assertEquals(3, new EpochSpace(packs, "view-b/1").find(4, id).offset(), "before it is durable");
    assertEquals(List.of(), storage.list(""));
    pack.publish();

    EpochPacks others = new EpochPacks(storage);
    for (EpochPacks reader : List.of(packs, others)) {
      assertArrayEquals(new byte[] {4}, reader.read(name, 3, 1));
      FinishedCommit a = new EpochSpace(reader, "view-a/0").find(9, id);
      assertEquals(0, a.offset());
      assertEquals(3, a.length());
      assertEquals(Map.of(older, 70L, name, 0L), a.packs(), "its manifest is in there");
      assertNull(new EpochSpace(reader, "view-a/0").find(8, id));
      assertNull(new EpochSpace(reader, "view-a/1").find(9, id));
      assertEquals(List.of(Map.entry(4L, new EpochSpace(reader, "view-b/1").find(4, id))),
          new EpochSpace(reader, "view-b/1").all(4));
    }
  }

  /** An executor that writes for ever does not remember for ever. */
  @Test
  void anIndexThatNobodyAsksForIsForgotten() throws IOException {
    EpochPack one = packs.begin(EpochIds.READABLE, 1);
    append(one, "view-a/0", 1, new byte[] {1}, Map.of());
    one.publish();
    EpochPack other = packs.begin(EpochIds.READABLE, 1);
    append(other, "view-b/0", 1, new byte[] {2}, Map.of());
    other.publish();
    for (long epoch = 2; epoch <= EpochPacks.REMEMBERED_EPOCHS + 2; epoch++) {
      assertTrue(packs.remembers(one.name()), "asked for at each epoch");
      packs.begin(EpochIds.READABLE, epoch).discard();
    }
    assertFalse(packs.remembers(other.name()));
    assertEquals(1, new EpochSpace(packs, "view-b/0").find(1, EpochIds.idOf(other.name())).length(),
        "read anew");
  }

  @Test
  void whatWasDiscardedIsGoneAndNothingWasWritten() throws IOException {
    EpochPack pack = packs.begin(EpochIds.OWN, 5);
    append(pack, "aggregate-a/0", 1, new byte[] {1}, Map.of());
    pack.discard();
    assertThrows(FileNotFoundException.class, () -> packs.read(pack.name(), 0, 1));
    assertEquals(List.of(), packs.names());
  }

  @Test
  void aPackIsNeverWrittenOverAnother() throws IOException {
    EpochPacks same = new EpochPacks(storage, () -> 1);
    EpochPacks elsewhere = new EpochPacks(storage, () -> 1);
    EpochPack one = same.begin(EpochIds.OWN, 5);
    EpochPack other = elsewhere.begin(EpochIds.OWN, 5);
    append(one, "a/0", 1, new byte[] {1}, Map.of());
    one.publish();
    append(other, "a/0", 1, new byte[] {2}, Map.of());
    assertThrows(IOException.class, other::publish);
    assertArrayEquals(new byte[] {1}, same.read(EpochIds.packOf(EpochIds.id(1, 5, 1)), 0, 1));
  }

  /** The id of a commit is its pack's: what one of a store and version names must be one thing. */
  @Test
  void aPackHasOneAttemptAtAVersion() throws IOException {
    EpochPack pack = packs.begin(EpochIds.OWN, 5);
    String id = EpochIds.idOf(pack.name());
    assertTrue(append(pack, "fixpoint-a/0", 7, new byte[] {7}, Map.of()));
    assertFalse(append(pack, "fixpoint-a/0", 7, new byte[] {8}, Map.of()), "a second attempt");
    assertTrue(append(pack, "fixpoint-a/1", 7, new byte[] {9}, Map.of()));
    assertTrue(append(pack, "fixpoint-a/0", 8, new byte[] {10}, Map.of()), "the next round");
    assertFalse(append(pack, "fixpoint-a/0", 7, new byte[] {11}, Map.of()), "of the round before");
    pack.publish();
    assertFalse(append(pack, "fixpoint-a/2", 1, new byte[] {12}, Map.of()), "it has ended");
    for (EpochPacks reader : List.of(packs, new EpochPacks(storage))) {
      assertArrayEquals(new byte[] {7, 9, 10}, reader.read(pack.name(), 0, 3));
      assertEquals(2, new EpochSpace(reader, "fixpoint-a/0").find(8, id).offset());
      assertEquals(0, new EpochSpace(reader, "fixpoint-a/0").find(7, id).offset());
      assertNull(new EpochSpace(reader, "fixpoint-a/0").find(9, id));
      assertEquals(8, reader.index(pack.name()).last("fixpoint-a/0").version());
      assertEquals(2, new EpochSpace(reader, "fixpoint-a/0").all(7).size());
      assertEquals(1, new EpochSpace(reader, "fixpoint-a/0").all(8).size());
      assertEquals(1, new EpochSpace(reader, "fixpoint-a/1").find(7, id).offset());
    }
  }

  @Test
  @Reaches(Mark.PACK_IS_THERE)
  void aFailedWriteIsTriedAgainAndOneThatWasDoneAllTheSameCounts() throws IOException {
    boolean[] done = {false, true};
    int[] calls = {0};
    EpochPacks failing = new EpochPacks(new ForwardingObjectStore(storage) {
      @Override
      public boolean putNew(String name, byte[] bytes) throws IOException {
        if (calls[0] < done.length) {
          if (done[calls[0]++]) {
            storage.putNew(name, bytes);
          }
          throw new IOException("told to fail");
        }
        return storage.putNew(name, bytes);
      }
    });
    EpochPack pack = failing.begin(EpochIds.READABLE, 5);
    append(pack, "view-a/0", 1, new byte[] {1}, Map.of());
    assertThrows(IOException.class, pack::publish);
    assertArrayEquals(new byte[] {1}, failing.read(pack.name(), 0, 1), "still in memory");
    assertThrows(IOException.class, pack::publish);
    pack.publish();
    assertEquals(1, new EpochPacks(storage).index(pack.name()).last("view-a/0").version());
  }

  @Test
  void aDamagedPackIsRefusedWhateverByteOfItsIndexIsAnother() throws IOException {
    EpochPack pack = packs.begin(EpochIds.READABLE, 5);
    append(pack, "view-a/0", 9, new byte[100], Map.of(pack(EpochIds.READABLE, 2), 5L));
    pack.publish();
    byte[] bytes = storage.read(pack.name(), 0, (int) storage.length(pack.name()));
    Random random = new Random(1);
    for (int at = 100; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      storage.put(pack.name(), damaged);
      EngineException e =
          assertThrows(EngineException.class, () -> new EpochPacks(storage).index(pack.name()));
      assertEquals(ErrorCode.CORRUPTION, e.code(), "byte " + at);
    }
    storage.put(pack.name(), java.util.Arrays.copyOf(bytes, bytes.length - 1));
    assertThrows(EngineException.class, () -> new EpochPacks(storage).index(pack.name()));
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
    append(pack, "view-a/0", 1, new byte[1], Map.of());
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
