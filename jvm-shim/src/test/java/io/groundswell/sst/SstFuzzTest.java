package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.filter.FilterKey;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.InternalKey;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.Allocations;
import io.groundswell.testing.Damage;
import io.groundswell.testing.MemoryObjectStore;
import io.groundswell.testing.Seeds;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SSTs of any bytes: an {@code EngineException} or rows, in bounded memory; never other rows. */
class SstFuzzTest {
  private static final Set<ErrorCode> REFUSALS =
      Set.of(ErrorCode.CORRUPTION, ErrorCode.FORMAT_TOO_NEW);

  /** Caches, cursors, messages. */
  private static final long FIXED_BYTES = 4 << 20;

  /**
   * A packed part may claim 255 times its bytes, and each is read three times: by a scan, by point
   * reads and by the check of the whole.
   */
  private static final long BYTES_A_BYTE = 3 * 255 + 300;

  private static final String NAME = FileNames.sst(1, "0123456789abcdef0123");

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final AtomicInteger refused = new AtomicInteger();
  private SstInfo info;
  private byte[] good;
  private List<byte[]> parts;
  private List<String> rows;

  /** By turns all of a tail is read at once, and its index later. */
  private int smallTail = Integer.MAX_VALUE;

  private void write(Compression compression, int bitsPerKey) throws Exception {
    SstModel model = SstModel.random(new Random(42), 60);
    info = model.write(store, NAME, new SstOptions(512, bitsPerKey, compression));
    byte[] object = store.objects.get(NAME);
    good = Arrays.copyOfRange(object, (int) info.offset(), (int) (info.offset() + info.length()));
    info = at(0, info.length(), info.tailOffset(), info.blocks());
    store.objects.put(NAME, good);
    parts = parts();
    rows = read(info);
    assertEquals(rows.size(), model.entries.size());
  }

  private SstInfo at(long offset, long length, long tail, int blocks) {
    return new SstInfo(info.fileName(), offset, length, tail, blocks, info.entries(),
        info.tombstones(), info.minEpoch(), info.maxEpoch(), info.smallest(), info.largest(),
        info.keyBounds());
  }

  /** The frames of blocks, index, filter and properties. */
  private List<byte[]> parts() {
    SstReader reader = SstReader.open(store, info, new BlockCache(1 << 20));
    SstIndex index = reader.tail().index(reader);
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < index.size(); i++) {
      all.add(reader.read(index.offset(i), index.length(i)));
    }
    SstFooter footer = SstFooter.decode("it", good, good.length - SstFooter.BYTES);
    all.add(reader.read(footer.indexOffset(), footer.indexLength()));
    all.add(reader.read(footer.filterOffset(), footer.filterLength()));
    all.add(reader.read(footer.propertiesOffset(), footer.propertiesLength()));
    return all;
  }

  private SstReader open(SstInfo of) {
    return SstReader.open(store, of, new BlockCache(1 << 20), smallTail);
  }

  /** All that a scan shows. */
  private List<String> read(SstInfo of) {
    SstCursor cursor = open(of).cursor(true, new CacheCounters());
    List<String> found = new ArrayList<>();
    for (cursor.seekToFirst(); cursor.valid; cursor.next()) {
      found.add(SstModel.show(cursor));
    }
    return found;
  }

  /** Everything is looked at, nothing is kept. */
  private void useAll(SstInfo of) {
    SstReader reader = open(of);
    CacheCounters counters = new CacheCounters();
    SstCursor cursor = reader.cursor(false, counters);
    for (cursor.seekToFirst(); cursor.valid; cursor.next()) {
    }
    LookupResult out = new LookupResult();
    for (byte[] key : List.of(info.smallest(), info.largest())) {
      reader.mayContain(new FilterKey().set(InternalKey.tableOf(key), 1));
      reader.get(key, key.length - InternalKey.EPOCH_BYTES, 50, out, counters);
      cursor.seek(key, key.length);
    }
    reader.verify();
  }

  /** The section out of parts, with a footer that fits them. */
  private void put(List<byte[]> frames) {
    int blocks = frames.size() - 3;
    ByteArrayOutputStream section = new ByteArrayOutputStream();
    frames.subList(0, blocks).forEach(section::writeBytes);
    long tail = section.size();
    byte[] index = frames.get(blocks);
    byte[] filter = frames.get(blocks + 1);
    byte[] properties = frames.get(blocks + 2);
    List.of(index, filter, properties).forEach(section::writeBytes);
    long end = section.size();
    section.writeBytes(new SstFooter(tail, index.length, tail + index.length, filter.length,
        end - properties.length, properties.length, end + SstFooter.BYTES)
            .encode());
    store.objects.put(NAME, section.toByteArray());
  }

  /** A part with other content, and the checksum of it. */
  private static byte[] sealed(byte[] frame, Random random) {
    int checked = frame.length - 4;
    byte[] bad = Damage.any(Arrays.copyOf(frame, checked), 0, checked, random);
    return new ByteWriter(bad.length + 4)
        .raw(bad, 0, bad.length)
        .u32(Checksum.of(bad, 0, bad.length))
        .toBytes();
  }

  private void bounded(SstInfo of) {
    smallTail = smallTail == SstFooter.BYTES ? Integer.MAX_VALUE : SstFooter.BYTES;
    long length = store.objects.get(NAME).length;
    long allocated = Allocations.of(() -> {
      try {
        useAll(of);
      } catch (EngineException e) {
        assertTrue(REFUSALS.contains(e.code()), e::toString);
        refused.incrementAndGet();
      }
    });
    assertTrue(allocated < FIXED_BYTES + BYTES_A_BYTE * length,
        () -> allocated + " bytes were allocated for a file of " + length);
  }

  /** Checksums tell: what is shown is what was written. */
  @ParameterizedTest
  @EnumSource(Compression.class)
  void damageGivesAnErrorOrTheRowsThatWereWritten(Compression compression) throws Exception {
    write(compression, 10);
    Seeds.each(600, random -> {
      store.objects.put(NAME, Damage.any(good, 0, good.length, random));
      try {
        assertEquals(rows, read(info));
      } catch (EngineException e) {
        assertTrue(REFUSALS.contains(e.code()), e::toString);
      }
      bounded(info);
    });
  }

  /** With checksums that are right again the decoders are on their own. */
  @ParameterizedTest
  @EnumSource(Compression.class)
  void damageThatChecksumsDoNotShowGivesAnErrorOrRows(Compression compression) throws Exception {
    write(compression, 10);
    Seeds.each(1000, random -> {
      List<byte[]> bad = new ArrayList<>(parts);
      int part = random.nextInt(4) > 0 ? bad.size() - 1 - random.nextInt(3)
                                       : random.nextInt(bad.size() - 3);
      bad.set(part, sealed(bad.get(part), random));
      put(bad);
      long length = store.objects.get(NAME).length;
      SstFooter footer =
          SstFooter.decode("it", store.objects.get(NAME), (int) length - SstFooter.BYTES);
      bounded(at(0, length, footer.indexOffset(), info.blocks()));
    });
    assertTrue(Seeds.fixed() != null || refused.get() > 300, "only " + refused + " were refused");
  }

  /** A footer whose checksum fits, with any numbers. */
  @Test
  void anyFooterGivesAnError() throws Exception {
    write(Compression.NONE, 10);
    Seeds.each(500, random -> {
      byte[] bad = good.clone();
      int at = bad.length - SstFooter.BYTES;
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        bad[at + random.nextInt(52)] ^= (byte) (1 << random.nextInt(8));
      }
      byte[] sum = new ByteWriter(4).u32(Checksum.of(bad, at, 52)).toBytes();
      System.arraycopy(sum, 0, bad, at + 52, 4);
      store.objects.put(NAME, bad);
      bounded(info);
    });
  }

  /** A record may claim what it likes: what is not there is not allocated. */
  @Test
  void aRecordThatLiesCostsAnError() throws Exception {
    write(Compression.NONE, 10);
    long[] numbers = {0, 1, 63, 64, 65, good.length, good.length - 1, good.length + 1, 1 << 30,
        Integer.MAX_VALUE - 8, Integer.MAX_VALUE, 1L << 40, Long.MAX_VALUE / 4};
    Seeds.each(1000, random -> {
      long offset = random.nextInt(3) > 0 ? 0 : numbers[random.nextInt(numbers.length)];
      long length = random.nextBoolean() ? good.length : numbers[random.nextInt(numbers.length)];
      long tail =
          random.nextBoolean() ? info.tailOffset() : numbers[random.nextInt(numbers.length)];
      int blocks = (int) Math.min(numbers[random.nextInt(numbers.length)], Integer.MAX_VALUE - 8);
      SstInfo lie = at(offset, length, tail, random.nextBoolean() ? info.blocks() : blocks);
      ByteWriter record = new ByteWriter(200);
      lie.encode(record);
      byte[] bytes = record.toBytes();
      try {
        SstInfo.decode(new io.groundswell.storage.ByteReader("it", bytes, 0, bytes.length));
      } catch (EngineException e) {
        assertEquals(ErrorCode.CORRUPTION, e.code());
        return; // a manifest that says so is refused
      }
      bounded(lie);
    });
  }

  @Test
  void randomBytesGiveAnError() throws Exception {
    write(Compression.NONE, 10);
    AtomicInteger tried = new AtomicInteger();
    Seeds.each(300, random -> {
      tried.incrementAndGet();
      byte[] noise = new byte[good.length];
      random.nextBytes(noise);
      store.objects.put(NAME, noise);
      bounded(info);
    });
    assertEquals(tried.get(), refused.get());
  }

  /** As long as {@code -Dgroundswell.soak.minutes} says. */
  @Test
  @Tag("soak")
  void forHours() throws Exception {
    long end = System.nanoTime()
        + java.time.Duration.ofMinutes(Integer.getInteger("groundswell.soak.minutes", 10))
              .toNanos();
    while (System.nanoTime() < end) {
      for (Compression compression : Compression.values()) {
        damageGivesAnErrorOrTheRowsThatWereWritten(compression);
        damageThatChecksumsDoNotShowGivesAnErrorOrRows(compression);
      }
      aRecordThatLiesCostsAnError();
    }
  }
}
