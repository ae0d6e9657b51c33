package io.groundswell.sst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.groundswell.cache.BlockCache;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.FileNames;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.ref.Reference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bound of bytes is as good as the weights of what it bounds. */
class ReaderMemoryTest {
  private static final int READERS = 3_000;

  @ParameterizedTest
  @ValueSource(ints = {3, 300, 3_000})
  void aReaderIsCountedForWhatItTakes(int rows) throws IOException {
    MemoryObjectStore store = new MemoryObjectStore("file:/home/user/checkpoint/state/0000/1");
    SstModel model = new SstModel();
    for (int i = 0; i < rows; i++) {
      model.put(SstModel.HASHED, i, new byte[] {(byte) i, (byte) (i >> 8)}, 1, new byte[40]);
    }
    SstInfo written = model.write(store, "a.sst", SstOptions.defaults());
    byte[] key = model.entries.firstKey();
    byte[] object = store.read("a.sst", 0, (int) store.length("a.sst"));
    int count = rows > 300 ? READERS / 10 : READERS;
    String told = "";
    // What other tests have left may be collected in between: then it is measured again.
    for (int attempt = 0; attempt < 5; attempt++) {
      SstReader[] readers = new SstReader[count];
      BlockCache cache = new BlockCache(0);
      long before = heap();
      for (int i = 0; i < count; i++) {
        String name = FileNames.sst(i, FileNames.newId(i));
        store.put(name, object);
        readers[i] = SstReader.open(store, copy(written, name), cache);
        assertEquals(model.expect(key), SstModel.get(readers[i], key));
        store.delete(name);
      }
      long taken = heap() - before;
      Reference.reachabilityFence(model);
      Reference.reachabilityFence(object);
      long counted = 0;
      for (SstReader reader : readers) {
        counted += reader.memoryBytes();
      }
      if (counted > taken * 0.8 && counted < taken * 1.25) {
        return;
      }
      told += taken / count + " bytes a reader, " + counted / count + " counted; ";
    }
    fail(told);
  }

  /** As a manifest's record that nobody else holds. */
  private static SstInfo copy(SstInfo info, String name) {
    ByteWriter out = new ByteWriter(200);
    info.at(name, info.offset()).encode(out);
    byte[] bytes = out.toBytes();
    return SstInfo.decode(new ByteReader("copy", bytes, 0, bytes.length));
  }

  /** Once the cleaners of earlier tests' readers are through. */
  private static long heap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long used = Long.MAX_VALUE;
    for (int stable = 0, tries = 0; stable < 3 && tries < 50; tries++) {
      memory.gc();
      LockSupport.parkNanos(20_000_000);
      long now = memory.getHeapMemoryUsage().getUsed();
      stable = now > used - 10_000 ? stable + 1 : 0;
      used = now;
    }
    return used;
  }
}
