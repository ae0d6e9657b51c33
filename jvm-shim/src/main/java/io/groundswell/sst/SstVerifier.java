package io.groundswell.sst;

import io.groundswell.cache.CacheCounters;
import io.groundswell.key.InternalKey;
import java.util.Arrays;

/** Checks an SST as a whole: order, counts, epochs and bounds against what it says of itself. */
final class SstVerifier {
  private SstVerifier() {}

  static void verify(SstReader reader, SstTail tail) {
    String what = reader.what();
    Properties says = tail.properties();
    SstCursor cursor = reader.cursor(false, new CacheCounters());
    cursor.seekToFirst();
    byte[] before = new byte[0];
    long entries = 0;
    long tombstones = 0;
    for (; cursor.valid; cursor.next()) {
      byte[] key = Arrays.copyOf(cursor.key, cursor.keyLength);
      if (entries == 0) {
        expect(what, Arrays.equals(key, says.bytes(what, Properties.SMALLEST)), "smallest key");
      } else if (InternalKey.compare(before, before.length, key, key.length) >= 0) {
        throw Frame.corrupt(what, "entry " + entries + " is out of order");
      }
      long epoch = InternalKey.epochOf(key, key.length);
      expect(what, epoch >= says.number(what, Properties.MIN_EPOCH), "oldest epoch");
      expect(what, epoch <= says.number(what, Properties.MAX_EPOCH), "newest epoch");
      entries++;
      tombstones += cursor.delete ? 1 : 0;
      before = key;
    }
    expect(what, Arrays.equals(before, says.bytes(what, Properties.LARGEST)), "largest key");
    expect(what, entries == says.number(what, Properties.ENTRIES), "number of entries");
    expect(what, tombstones == says.number(what, Properties.TOMBSTONES), "number of tombstones");
    expect(what, entries == reader.info().entries(), "number of entries of the record");
  }

  private static void expect(String what, boolean holds, String fact) {
    if (!holds) {
      throw Frame.corrupt(what, "its entries contradict its " + fact);
    }
  }
}
