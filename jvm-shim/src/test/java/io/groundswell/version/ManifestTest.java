package io.groundswell.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.sst.KeyBound;
import io.groundswell.sst.SstInfo;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManifestTest {
  private static final String ID = "0123456789ab01234567";

  private static byte[] key(int table, int n, long epoch) {
    TableSpec spec = new TableSpec(table, "t", Layout.HASHED, false);
    byte[] key = new byte[InternalKey.encodedLength(4)];
    byte[] user = {(byte) (n >>> 24), (byte) (n >>> 16), (byte) (n >>> 8), (byte) n};
    InternalKey.encode(spec, 0, user, 0, 4, epoch, key, 0);
    return key;
  }

  private static SstInfo file(long version, int first, int last, long minEpoch, long maxEpoch) {
    return new SstInfo(FileNames.sst(version, ID), 0, 5_000, 4_000, 3, 100, 7, minEpoch, maxEpoch,
        key(1, first, maxEpoch), key(1, last, minEpoch), List.of(new KeyBound(1, new byte[] {7})));
  }

  private static Version version(Run... runs) {
    Catalogue tables = Catalogue.EMPTY.with("gone", Layout.HASHED, false)
                           .with("a", Layout.HASHED, true)
                           .with("größer", Layout.ORDERED, false)
                           .without("gone");
    return new Version(
        9, ID, "00000000000000000001", 4, new Levels(List.of(runs), List.of()), tables);
  }

  private static final Version WHOLE = version(
      Run.of(file(9, 1, 50, 9, 9)), new Run(List.of(file(7, 1, 50, 3, 7), file(8, 51, 90, 2, 7))));

  private static byte[] object(Version version) {
    byte[] data = new byte[100];
    byte[] end = CommitFooter.seal(ManifestCodec.encode(version), data.length);
    byte[] object = Arrays.copyOf(data, data.length + end.length);
    System.arraycopy(end, 0, object, data.length, end.length);
    return object;
  }

  private static Version read(byte[] object) throws IOException {
    MemoryObjectStore folder = new MemoryObjectStore();
    folder.objects.put(FileNames.commit(9, ID), object);
    return CommitReader.read(folder, 9, ID, -1);
  }

  private static EngineException refused(byte[] object) {
    return assertThrows(EngineException.class, () -> read(object));
  }

  @Test
  void aManifestComesBackAsItWasWritten() throws IOException {
    assertEquals(WHOLE, read(object(WHOLE)));
    Version first = new Version(9, ID, null, 0, Levels.EMPTY, Catalogue.EMPTY);
    assertEquals(first, read(object(first)));
  }

  @Test
  void aManifestLargerThanTheFirstReadComesBack() throws IOException {
    Catalogue tables = Catalogue.EMPTY;
    for (int i = 0; i < 2_000; i++) {
      tables = tables.with("table "
              + "x".repeat(30) + i,
          Layout.HASHED, true);
    }
    Version large = new Version(9, ID, null, 0, WHOLE.levels(), tables);
    assertEquals(large, read(object(large)));
  }

  @Test
  void everyChangedByteIsCorruption() {
    byte[] whole = object(WHOLE);
    for (int at = 100; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= (byte) (1 << at % 8);
      EngineException error = refused(changed);
      assertEquals(ErrorCode.CORRUPTION, error.code(), "byte " + at);
      assertTrue(error.getMessage().contains(FileNames.commit(9, ID)), error.getMessage());
    }
  }

  @Test
  void everyCutIsCorruption() {
    byte[] whole = object(WHOLE);
    for (int length = 0; length < whole.length; length++) {
      assertEquals(ErrorCode.CORRUPTION, refused(Arrays.copyOf(whole, length)).code());
    }
  }

  @Test
  void bytesInFrontThatAreMissingAreCorruption() {
    byte[] whole = object(WHOLE);
    byte[] cut = Arrays.copyOfRange(whole, 1, whole.length);
    assertEquals(ErrorCode.CORRUPTION, refused(cut).code());
  }

  @Test
  void anotherVersionsObjectUnderThisNameIsCorruption() {
    byte[] other = object(new Version(8, ID, null, 0, Levels.EMPTY, Catalogue.EMPTY));
    assertTrue(refused(other).getMessage().contains("it is of version 8"));
  }

  @Test
  void aNewerFormatIsNamed() {
    byte[] newer = object(WHOLE);
    int footer = newer.length - CommitFooter.BYTES;
    newer[footer + 19] = 3;
    byte[] sum = new ByteWriter(4).u32(Checksum.of(newer, footer, 20)).toBytes();
    System.arraycopy(sum, 0, newer, footer + 20, 4);
    EngineException error = refused(newer);
    assertEquals(ErrorCode.FORMAT_TOO_NEW, error.code());
    assertTrue(error.getMessage().contains("format 3"), error.getMessage());
  }

  /** A checksum that fits does not make nonsense a manifest: each invariant is looked at. */
  @Test
  void whatBreaksAnInvariantIsRefused() {
    Run newer = Run.of(file(9, 1, 50, 9, 9));
    Run older = Run.of(file(7, 1, 50, 3, 7));
    assertNull(VersionInvariants.violation(WHOLE));
    assertRefused("the epochs of a newer sub-level", version(older, newer));
    assertRefused("files of one sub-level or level overlap",
        version(new Run(List.of(file(7, 1, 50, 3, 7), file(8, 50, 90, 3, 7)))));
    assertRefused("files of one sub-level or level overlap",
        version(new Run(List.of(file(7, 60, 70, 3, 7), file(8, 1, 5, 3, 7)))));
    assertRefused("an epoch above its number", version(Run.of(file(10, 1, 2, 10, 10))));
    assertRefused("a sub-level without files", version(new Run(List.of())));
    assertRefused("its safe epoch", new Version(9, ID, null, 10, Levels.EMPTY, Catalogue.EMPTY));
  }

  private static void assertRefused(String why, Version version) {
    String violation = VersionInvariants.violation(version);
    assertTrue(violation != null && violation.contains(why), violation);
    byte[] bytes = ManifestCodec.encode(version);
    EngineException error = assertThrows(EngineException.class,
        () -> ManifestCodec.decode(new ByteReader("it", bytes, 0, bytes.length)));
    assertEquals(ErrorCode.CORRUPTION, error.code());
    assertTrue(error.getMessage().contains(why), error.getMessage());
  }
}
