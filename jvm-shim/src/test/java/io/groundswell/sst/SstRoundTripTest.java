package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.CacheCounters;
import io.groundswell.filter.FilterKey;
import io.groundswell.key.InternalKey;
import io.groundswell.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An SST answers as the sorted map of its entries does. */
class SstRoundTripTest {
  @ParameterizedTest
  @CsvSource({"64,NONE", "300,LZ4", "4096,NONE", "4096,LZ4", "1048576,NONE"})
  void answersLikeASortedMap(int blockBytes, Compression compression) {
    Seeds.each(8, random -> {
      SstModel model = SstModel.random(random, 1 + random.nextInt(random.nextBoolean() ? 20 : 400));
      SstReader reader = model.open(new SstOptions(blockBytes, 10, compression));
      scansAll(model, reader);
      for (byte[] key : probes(model, random)) {
        assertEquals(model.expect(key), SstModel.get(reader, key));
        seeks(model, reader, key);
      }
      reader.verify();
    });
  }

  private static void scansAll(SstModel model, SstReader reader) {
    List<String> wanted = new ArrayList<>();
    model.entries.forEach(
        (key, cell) -> wanted.add(Arrays.toString(key) + SstModel.describe(key, cell.value())));
    List<String> got = new ArrayList<>();
    SstCursor cursor = reader.cursor(false, new CacheCounters());
    for (cursor.seekToFirst(); cursor.valid; cursor.next()) {
      got.add(SstModel.show(cursor));
      assertTrue(reader.mayContain(new FilterKey().set(InternalKey.tableOf(cursor.key),
          InternalKey.hashOf(
              SstModel.layout(InternalKey.tableOf(cursor.key)), cursor.key, cursor.keyLength))));
    }
    assertEquals(wanted, got);
  }

  private static void seeks(SstModel model, SstReader reader, byte[] key) {
    SstCursor cursor = reader.cursor(true, new CacheCounters());
    cursor.seek(key, key.length);
    Map.Entry<byte[], SstModel.Cell> entry = model.entries.ceilingEntry(key);
    for (int i = 0; i < 3; i++) {
      if (entry == null) {
        assertFalse(cursor.valid);
        return;
      }
      assertTrue(cursor.valid);
      assertEquals(Arrays.toString(entry.getKey())
              + SstModel.describe(entry.getKey(), entry.getValue().value()),
          SstModel.show(cursor));
      entry = model.entries.higherEntry(entry.getKey());
      cursor.next();
    }
  }

  /** Every key, its neighbours in time, and changed, shortened and random ones. */
  private static List<byte[]> probes(SstModel model, Random random) {
    List<byte[]> probes = new ArrayList<>();
    for (byte[] key : model.entries.keySet()) {
      probes.add(key);
      long epoch = InternalKey.epochOf(key, key.length);
      for (long other : new long[] {epoch - 1, epoch + 1, 0, Long.MAX_VALUE}) {
        byte[] probe = key.clone();
        InternalKey.putEpoch(probe, key.length - InternalKey.EPOCH_BYTES, Math.max(0, other));
        probes.add(probe);
      }
      byte[] bound = key.clone(); // what a scan of this very key seeks to
      Arrays.fill(bound, key.length - InternalKey.EPOCH_BYTES, key.length, (byte) 0);
      probes.add(bound);
      byte[] changed = key.clone();
      changed[random.nextInt(key.length - 8)] += (byte) (1 + random.nextInt(255));
      probes.add(changed);
      byte[] longer = Arrays.copyOf(key, key.length + random.nextInt(4));
      probes.add(longer);
      probes.add(Arrays.copyOf(key, 8 + random.nextInt(key.length - 8)));
    }
    return probes;
  }
}
