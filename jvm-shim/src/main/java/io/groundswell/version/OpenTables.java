package io.groundswell.version;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.groundswell.cache.BlockCache;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstReader;
import io.groundswell.storage.ObjectStore;
import java.util.concurrent.ExecutionException;

/**
 * Open SST readers of all stores, with their indexes and filters, under one bound of bytes. One
 * that falls out stays open for whoever holds it.
 */
public final class OpenTables {
  private record Key(String folder, String file, long offset) {}

  private final BlockCache blocks;
  private final Cache<Key, SstReader> readers;

  public OpenTables(BlockCache blocks, long maxBytes) {
    this.blocks = blocks;
    readers =
        CacheBuilder.newBuilder()
            .maximumWeight(Math.max(1, maxBytes))
            .concurrencyLevel(4)
            .<Key, SstReader>weigher((key, reader) -> weight(reader.info()))
            .build();
  }

  public SstReader get(ObjectStore folder, SstInfo info) {
    Key key = new Key(folder.location(), info.fileName(), info.offset());
    try {
      return readers.get(key, () -> SstReader.open(folder, info, blocks));
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // open() raises no checked exception
    }
  }

  public BlockCache blocks() {
    return blocks;
  }

  /** A reader keeps about what its file's tail has, and some hundred bytes for itself. */
  private static int weight(SstInfo info) {
    return (int) Math.min(Integer.MAX_VALUE, info.length() - info.tailOffset() + 512);
  }
}
