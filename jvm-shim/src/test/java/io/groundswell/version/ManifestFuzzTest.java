package io.groundswell.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.key.Watermark;
import io.groundswell.sst.KeyBound;
import io.groundswell.sst.SstInfo;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.Allocations;
import io.groundswell.testing.Damage;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Manifests and commit footers of any bytes: an error, or a version that keeps all invariants. */
class ManifestFuzzTest {
  private static final String ID = "0123456789abcdef0123";
  private static final Set<ErrorCode> REFUSALS =
      Set.of(ErrorCode.CORRUPTION, ErrorCode.FORMAT_TOO_NEW);
  private static final long FIXED_BYTES = 256 << 10;

  /** A run without files takes one byte in a manifest and three objects in memory. */
  private static final long BYTES_A_BYTE = 300;

  private final AtomicInteger refused = new AtomicInteger();

  private static byte[] key(Catalogue tables, int table, int n, long epoch) {
    byte[] key = new byte[InternalKey.encodedLength(4)];
    byte[] user = {(byte) (n >>> 24), (byte) (n >>> 16), (byte) (n >>> 8), (byte) n};
    InternalKey.encode(tables.byId(table), 0, user, 0, 4, epoch, key, 0);
    return key;
  }

  /** Versions with several tables, sub-levels and levels. */
  private static Version version(Random random) {
    Catalogue tables = Catalogue.EMPTY.with("a", Layout.HASHED, true)
                           .with("b", Layout.ORDERED, false)
                           .withWatermark(1, new Watermark(new byte[] {1, 2}));
    List<Run> subLevels = new ArrayList<>();
    long epoch = 60;
    for (int n = random.nextInt(4); n > 0; n--, epoch -= 5) {
      subLevels.add(run(tables, random, epoch - 4, epoch));
    }
    List<Run> lower = new ArrayList<>();
    for (int n = random.nextInt(3); n > 0; n--) {
      lower.add(random.nextBoolean() ? Run.NONE : run(tables, random, 1, epoch));
    }
    return new Version(60, ID, ID, random.nextInt(60), new Levels(subLevels, lower), tables);
  }

  private static Run run(Catalogue tables, Random random, long oldest, long newest) {
    List<SstInfo> files = new ArrayList<>();
    int from = 0;
    for (int n = 1 + random.nextInt(3); n > 0; n--, from += 100) {
      files.add(new SstInfo(FileNames.sst(newest, String.format("%020x", random.nextInt(1 << 30))),
          0, 5_000, 4_000, 3, 100, 7, oldest, newest, key(tables, 0, from, newest),
          key(tables, 0, from + 50, oldest), List.of(new KeyBound(0, new byte[] {7}))));
    }
    return new Run(files);
  }

  private static Version read(byte[] object) {
    MemoryObjectStore folder = new MemoryObjectStore();
    folder.objects.put(FileNames.commit(60, ID), object);
    try {
      return CommitReader.read(folder, 60, ID, -1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void bounded(byte[] object) {
    long allocated = Allocations.of(() -> {
      try {
        Version found = read(object);
        assertNull(VersionInvariants.violation(found));
        assertEquals(60, found.number());
      } catch (EngineException e) {
        assertTrue(REFUSALS.contains(e.code()), e::toString);
        refused.incrementAndGet();
      }
    });
    assertTrue(allocated < FIXED_BYTES + BYTES_A_BYTE * object.length,
        () -> allocated + " bytes were allocated for a manifest of " + object.length);
  }

  @Test
  void whatIsWholeComesBack() {
    Seeds.each(200, random -> {
      Version version = version(random);
      assertEquals(version, read(CommitFooter.seal(ManifestCodec.encode(version), 0)));
    });
  }

  @Test
  void anyDamageIsNoticed() {
    Seeds.each(1000, random -> {
      byte[] good = CommitFooter.seal(ManifestCodec.encode(version(random)), 0);
      byte[] bad = Damage.any(good, 0, good.length, random);
      if (!Arrays.equals(good, bad)) {
        EngineException e = assertThrows(EngineException.class, () -> read(bad));
        assertTrue(REFUSALS.contains(e.code()), e::toString);
      }
    });
  }

  @Test
  void damageThatTheChecksumDoesNotShowGivesAnErrorOrAVersionThatKeepsItsInvariants() {
    Seeds.each(4000, random -> {
      byte[] good = ManifestCodec.encode(version(random));
      bounded(CommitFooter.seal(Damage.any(good, 0, good.length, random), 0));
    });
    assertTrue(Seeds.fixed() != null || refused.get() > 1000, "only " + refused + " were refused");
  }

  /** Reads and deletions follow these names. */
  @Test
  void aRecordLeadsNowhereElse() {
    for (String name : List.of("../" + FileNames.sst(1, ID), "/etc/passwd", "", "owner",
             FileNames.sst(1, ID) + ".pack")) {
      SstInfo file =
          new SstInfo(name, 0, 5_000, 4_000, 3, 100, 7, 1, 1, new byte[InternalKey.OVERHEAD],
              new byte[InternalKey.OVERHEAD], List.of(new KeyBound(0, null)));
      ByteWriter out = new ByteWriter(100);
      file.encode(out);
      byte[] bytes = out.toBytes();
      assertEquals(ErrorCode.CORRUPTION,
          assertThrows(EngineException.class,
              () -> SstInfo.decode(new ByteReader("it", bytes, 0, bytes.length)))
              .code());
    }
  }

  @Test
  void anyFooterAndAnyBytesGiveAnError() {
    Seeds.each(1000, random -> {
      byte[] noise = new byte[random.nextInt(300)];
      random.nextBytes(noise);
      bounded(CommitFooter.seal(noise, 0));
      byte[] bad = CommitFooter.seal(ManifestCodec.encode(version(random)), 0);
      int at = bad.length - CommitFooter.BYTES;
      bad[at + random.nextInt(20)] ^= (byte) (1 << random.nextInt(8));
      byte[] sum = new ByteWriter(4).u32(Checksum.of(bad, at, 20)).toBytes();
      System.arraycopy(sum, 0, bad, at + 20, 4);
      bounded(bad);
    });
  }
}
