package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.cache.BlockCache;
import io.groundswell.filter.FilterKey;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.testing.MemoryObjectStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What a later minor version may add does not disturb this one. */
class SstCompatibilityTest {
  private final MemoryObjectStore store = new MemoryObjectStore();
  private final SstModel model = SstModel.random(new Random(8), 60);

  /** The same SST with other properties. */
  private SstReader rewritten(UnaryOperator<Properties> change) throws IOException {
    SstInfo info = model.write(store, "a.sst", new SstOptions(512, 10, Compression.NONE));
    byte[] object = store.objects.get("a.sst");
    int start = (int) info.offset();
    int end = start + (int) info.length();
    SstFooter footer = SstFooter.decode("test", object, end - SstFooter.BYTES);
    int propertiesAt = start + (int) footer.propertiesOffset();
    Frame.Content old = Frame.read("test", object, propertiesAt, footer.propertiesLength());
    Properties properties =
        Properties.decode(new ByteReader("test", old.bytes(), old.offset(), old.length()));
    ByteArrayOutputStream made = new ByteArrayOutputStream();
    made.write(object, 0, propertiesAt);
    byte[] content = change.apply(properties).encode();
    int length =
        Frame.write(made, new ByteWriter(0).raw(content, 0, content.length), Compression.NONE);
    long sectionLength = footer.sectionLength() + length - footer.propertiesLength();
    made.write(new SstFooter(footer.indexOffset(), footer.indexLength(), footer.filterOffset(),
        footer.filterLength(), footer.propertiesOffset(), length, sectionLength)
            .encode());
    store.objects.put("a.sst", made.toByteArray());
    SstInfo record = new SstInfo("a.sst", start, sectionLength, info.tailOffset(), info.blocks(),
        info.entries(), info.tombstones(), info.minEpoch(), info.maxEpoch(), info.smallest(),
        info.largest(), info.keyBounds());
    return SstReader.open(store, record, new BlockCache(1 << 20));
  }

  private void expectAllRows(SstReader reader) {
    for (byte[] key : model.entries.keySet()) {
      assertEquals(model.expect(key), SstModel.get(reader, key));
    }
    reader.verify();
  }

  @Test
  void unknownPropertiesAreSkipped() throws IOException {
    SstReader reader = rewritten(
        properties -> properties.with("invented.later", new byte[] {1, 2}).with("more", 5));
    expectAllRows(reader);
    int passing = 0;
    for (int hash = 1000; hash < 2000; hash++) {
      passing += reader.mayContain(new FilterKey().set(SstModel.HASHED.id(), hash)) ? 1 : 0;
    }
    assertTrue(passing < 100, passing + " of 1000 absent hashes pass");
  }

  @Test
  void filterOfAnUnknownKindIsNoFilter() throws IOException {
    SstReader reader = rewritten(properties -> properties.with(Properties.FILTER_KIND, 9));
    expectAllRows(reader);
    assertEquals(0, reader.filterBytes());
    for (int hash = 0; hash < 1000; hash++) {
      assertTrue(reader.mayContain(new FilterKey().set(SstModel.HASHED.id(), hash)));
    }
  }

  @Test
  void noFilterIsWrittenForNoBits() throws IOException {
    SstReader reader = model.open(new SstOptions(512, 0, Compression.NONE));
    expectAllRows(reader);
    assertEquals(0, reader.filterBytes());
    assertTrue(reader.mayContain(new FilterKey().set(SstModel.HASHED.id(), 12345)));
  }
}
