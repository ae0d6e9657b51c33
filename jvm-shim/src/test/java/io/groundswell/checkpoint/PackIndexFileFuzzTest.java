package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.Allocations;
import io.groundswell.testing.Damage;
import io.groundswell.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Indexes of batches of any bytes: an error, or commits in packs of the checkpoint's own. */
class PackIndexFileFuzzTest {
  private static final Set<ErrorCode> REFUSALS =
      Set.of(ErrorCode.CORRUPTION, ErrorCode.FORMAT_TOO_NEW);
  private static final int FOOTER = 16;
  private static final long FIXED_BYTES = 256 << 10;
  private static final long BYTES_A_BYTE = 300;

  private static List<FinishedCommit> commits(Random random) {
    List<FinishedCommit> commits = new ArrayList<>();
    for (int n = random.nextInt(8); n > 0; n--) {
      String pack =
          random.nextInt(4) == 0 ? null : PackNames.pack(7, FileNames.newId(n % 3, n % 3));
      commits.add(new FinishedCommit("0/" + n, FileNames.newId(n, random.nextInt()), pack,
          random.nextInt(1000), random.nextInt(1000),
          pack == null ? Map.of() : Map.of(pack, (long) random.nextInt(500))));
    }
    return commits;
  }

  private static byte[] encoded(List<FinishedCommit> commits, Random random) {
    return PackIndexFile.encode(7, FileNames.newId(1, random.nextInt()), commits);
  }

  private static byte[] sealed(byte[] content) {
    ByteWriter out = new ByteWriter(content.length + FOOTER);
    out.raw(content, 0, content.length);
    out.u32(Checksum.of(content, 0, content.length)).u32(1).u64(0x475357494E444558L);
    return out.toBytes();
  }

  @Test
  void whatIsWholeComesBackAndDamageIsNoticed() {
    Seeds.each(500, random -> {
      List<FinishedCommit> commits = commits(random);
      byte[] good = encoded(commits, random);
      PackIndex read = PackIndexFile.decode("it", good);
      assertEquals(commits.size(), read.size());
      for (FinishedCommit commit : commits) {
        assertEquals(commit, read.attempt(commit.store(), commit.id()));
        assertTrue(read.packs().containsAll(commit.packs().keySet()));
      }
      byte[] bad = Damage.any(good, 0, good.length, random);
      if (!Arrays.equals(good, bad)) {
        EngineException e =
            assertThrows(EngineException.class, () -> PackIndexFile.decode("it", bad));
        assertTrue(REFUSALS.contains(e.code()), e::toString);
      }
    });
  }

  @Test
  void damageThatTheChecksumDoesNotShowGivesAnErrorOrNamesOfItsOwn() {
    Seeds.each(3000, random -> {
      byte[] good = encoded(commits(random), random);
      byte[] content = Arrays.copyOf(good, good.length - FOOTER);
      byte[] bad = sealed(Damage.any(content, 0, content.length, random));
      long allocated = Allocations.ofSecondRun(() -> {
        try {
          for (PackIndex.Entry entry : PackIndexFile.decode("it", bad).all()) {
            FinishedCommit commit = entry.commit();
            assertTrue(FileNames.isId(commit.id()));
            assertTrue(commit.offset() >= 0 && commit.length() >= 0);
            assertTrue(commit.pack() == null || FileNames.isObject(commit.pack()));
          }
        } catch (EngineException e) {
          assertTrue(REFUSALS.contains(e.code()), e::toString);
        }
      });
      assertTrue(allocated < FIXED_BYTES + BYTES_A_BYTE * bad.length, () -> allocated + " bytes");
    });
  }
}
