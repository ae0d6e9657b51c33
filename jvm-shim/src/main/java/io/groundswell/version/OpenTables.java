package io.groundswell.version;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalNotification;
import io.groundswell.cache.BlockCache;
import io.groundswell.sst.FilterSize;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstReader;
import io.groundswell.sst.WrittenBlocks;
import io.groundswell.storage.ObjectStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Open SST readers of all stores, so that versions share them and what they have pinned. One that
 * falls out of here stays open for whoever holds it.
 */
public final class OpenTables {
  /** By folder object, not by location: a reader must not outlive the folder it reads through. */
  private record Key(ObjectStore folder, String file, long offset) {}

  /** Readers that nobody holds keep no more than one in so many bytes of the cache pinned. */
  private static final int SHARE = 2;

  /** One commit may fill one in so many bytes of the cache. */
  private static final int COMMIT_SHARE = 16;

  /** One file of a merge may fill one in so many bytes of the cache. */
  private static final int MERGED_SHARE = 4;

  private static final long LEAST_BYTES = 1 << 20;

  private final BlockCache blocks;

  /**
   * The keys of the readers by folder and file: a walk over all of them would cost with every file
   * there is. What is inside is touched by {@code compute} alone.
   */
  private final ConcurrentMap<ObjectStore, Map<String, Set<Key>>> byFile =
      new ConcurrentHashMap<>();

  private final Cache<Key, SstReader> readers;

  public OpenTables(BlockCache blocks) {
    this.blocks = blocks;
    readers =
        CacheBuilder.newBuilder()
            .maximumWeight(Math.max(LEAST_BYTES, blocks.maxBytes() / SHARE))
            .concurrencyLevel(1) // the weight is divided by it
            .<Key, SstReader>weigher(
                (key, reader) -> (int) Math.min(Integer.MAX_VALUE, reader.memoryBytes()))
            .removalListener((RemovalNotification<Key, SstReader> gone) -> left(gone.getKey()))
            .build();
  }

  private static Key key(ObjectStore folder, SstInfo info) {
    return new Key(folder, info.fileName(), info.offset());
  }

  public SstReader get(ObjectStore folder, SstInfo info) {
    Key key = key(folder, info);
    SstReader known = readers.getIfPresent(key);
    if (known != null) {
      return known;
    }
    try {
      SstReader opened = readers.get(key, () -> SstReader.open(folder, info, blocks));
      note(key);
      if (readers.getIfPresent(key) == null) {
        left(key); // it fell out before it was noted
      }
      return opened;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // open() raises no checked exception
    }
  }

  /** Room for the blocks of one commit that go into the cache right away. */
  public WrittenBlocks keepCommit() {
    return new WrittenBlocks(blocks.maxBytes() / COMMIT_SHARE);
  }

  /**
   * Room for the blocks of each file that a merge of these writes, if most of them are in use, or
   * reading back is slow: what was read through the inputs is read through the result from then
   * on. Gives null otherwise.
   */
  public Supplier<WrittenBlocks> keepMerged(ObjectStore folder, List<SstInfo> inputs) {
    boolean keep = folder.hasHighLatency() || inUse(folder, inputs);
    return ()
               -> keep
        ? new WrittenBlocks(Math.min(blocks.freeBytes(), blocks.maxBytes() / MERGED_SHARE))
        : null;
  }

  private boolean inUse(ObjectStore folder, List<SstInfo> files) {
    long used = 0;
    long all = 0;
    for (SstInfo info : files) {
      SstReader reader = readers.getIfPresent(key(folder, info));
      used += reader == null ? 0 : reader.usedBlocks();
      all += info.blocks();
    }
    return 2 * used >= all;
  }

  /** Puts a published commit's blocks into the cache. */
  public void put(ObjectStore folder, WrittenBlocks written) {
    if (written.info() != null) {
      written.putInto(get(folder, written.info()));
    }
  }

  /** The filters in memory of a version's files; opens none. */
  public FilterSize filters(ObjectStore folder, Levels levels) {
    FilterSize size = new FilterSize();
    levels.files().forEach(info -> {
      SstReader reader = readers.getIfPresent(key(folder, info));
      if (reader != null) {
        reader.addFilterSize(size);
      }
    });
    return size;
  }

  /**
   * Gives back the memory of files that a version had and the next one has not: a store is read at
   * its newest version, and old ones are retained for long.
   */
  public void replaced(ObjectStore folder, Levels before, Levels after) {
    Set<Key> gone = before.files().map(info -> key(folder, info)).collect(Collectors.toSet());
    after.files().forEach(info -> gone.remove(key(folder, info)));
    gone.forEach(this::forget);
  }

  public BlockCache blocks() {
    return blocks;
  }

  /** Gives back the memory of a file that was deleted. */
  public void forget(ObjectStore folder, String file) {
    Set<Key> gone = new HashSet<>();
    byFile.computeIfPresent(folder, (any, files) -> {
      Set<Key> keys = files.remove(file);
      gone.addAll(keys == null ? Set.of() : keys);
      return files.isEmpty() ? null : files;
    });
    gone.forEach(this::forget);
  }

  /** Gives back the memory of all files of a folder through which nobody will read again. */
  public void forgetAll(ObjectStore folder) {
    Map<String, Set<Key>> files = byFile.remove(folder);
    if (files != null) {
      files.values().forEach(keys -> keys.forEach(this::forget));
    }
  }

  private void forget(Key key) {
    SstReader reader = readers.getIfPresent(key);
    if (reader != null) {
      reader.forget();
      readers.invalidate(key);
    }
  }

  /** How many files readers are noted for. */
  public int files() {
    int[] count = new int[1];
    byFile.keySet().forEach(folder -> byFile.computeIfPresent(folder, (any, files) -> {
      count[0] += files.size();
      return files;
    }));
    return count[0];
  }

  private void note(Key key) {
    byFile.compute(key.folder, (any, files) -> {
      Map<String, Set<Key>> more = files == null ? new HashMap<>() : files;
      more.computeIfAbsent(key.file, file -> new HashSet<>()).add(key);
      return more;
    });
  }

  /**
   * A reader fell out; one of the same key may have come since. The cache is not asked within a
   * change of the notes: it may tell then of others that fell out.
   */
  private void left(Key key) {
    if (isThere(key)) {
      return;
    }
    byFile.computeIfPresent(key.folder, (any, files) -> {
      Set<Key> keys = files.get(key.file);
      if (keys != null && keys.remove(key) && keys.isEmpty()) {
        files.remove(key.file);
      }
      return files.isEmpty() ? null : files;
    });
    if (isThere(key)) {
      note(key);
    }
  }

  private boolean isThere(Key key) {
    return readers.asMap().containsKey(key);
  }
}
