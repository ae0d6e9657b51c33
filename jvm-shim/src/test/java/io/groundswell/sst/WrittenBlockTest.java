package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.ByteWriter;
import io.groundswell.testing.Seeds;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a commit puts into the cache is what a reader of its file would have made of it. */
class WrittenBlockTest {
  @Test
  void aBlockIsCachedByItsWriterAsByAReader() {
    Seeds.each(50, random -> {
      BlockBuilder builder = new BlockBuilder(256);
      for (Layout layout : Layout.values()) {
        builder.layout(layout);
        fill(builder, random);
        check(builder);
        builder.reset();
      }
    });
  }

  private static void fill(BlockBuilder builder, Random random) {
    TreeSet<byte[]> stems = new TreeSet<>(Arrays::compareUnsigned);
    for (int i = 1 + random.nextInt(100); i > 0; i--) {
      byte[] stem = new byte[8 + random.nextInt(4)];
      stem[5] = (byte) random.nextInt(20); // rows of one hash, and hashes that share bytes
      stem[2] = (byte) (random.nextInt(3) * 100);
      stem[7] = (byte) random.nextInt();
      stems.add(stem);
    }
    byte[] last = {};
    for (byte[] stem : stems) {
      int same = Arrays.mismatch(last, stem);
      builder.add(stem, stem.length, Math.max(0, same), 1, false, stem, 0, stem.length);
      last = stem;
    }
  }

  private static void check(BlockBuilder builder) {
    ByteWriter content = builder.finish();
    Block read =
        new Block("x", 0, new Frame.Content(content.array(), 0, content.size())).forCache();
    assertArrayEquals(read.bytes, builder.forCache());
    assertEquals(read.groups, builder.groups());
    Block written = new Block("x", 0, builder.forCache(), builder.groups());
    assertEquals(read.tableId, written.tableId);
    assertEquals(read.firstHash, written.firstHash);
    assertEquals(read.groupsPerHash, written.groupsPerHash);
    assertEquals(read.entriesEnd, written.entriesEnd);
    assertEquals(read.firstEntry, written.firstEntry);
    assertEquals(read.baseEpoch, written.baseEpoch);
  }
}
