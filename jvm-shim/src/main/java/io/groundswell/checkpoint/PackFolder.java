package io.groundswell.checkpoint;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The packs of one checkpoint as this JVM sees them: those sealed here are read from memory until
 * they are durable, and after that while there is room. Safe for many threads.
 */
public final class PackFolder extends ForwardingObjectStore {
  private static final int REMEMBERED_INDEXES = 256;

  private final Cache<String, BatchIndex> indexes =
      CacheBuilder.newBuilder().maximumSize(REMEMBERED_INDEXES).build();

  /** In memory, eldest first. Guarded by itself. */
  private final Map<String, Pack> packs = new LinkedHashMap<>();

  /** Packs stand in the folder {@code storage}. */
  public PackFolder(ObjectStore storage) {
    super(storage);
  }

  void add(Pack pack) {
    synchronized (packs) {
      packs.put(pack.name, pack);
    }
  }

  void evict(Pack pack) {
    synchronized (packs) {
      packs.remove(pack.name);
    }
  }

  private Pack inMemory(String name) {
    synchronized (packs) {
      return packs.get(name);
    }
  }

  /** The index of that name; a wrong one is {@code CORRUPTION}. */
  public BatchIndex index(String name) throws IOException {
    BatchIndex known = indexes.getIfPresent(name);
    if (known == null) {
      byte[] bytes = store.read(name, 0, (int) store.length(name));
      known = BatchIndex.decode(location() + "/" + name, bytes);
      indexes.put(name, known);
    }
    return known;
  }

  /** Names of the indexes from this version on; of one version, the newest owner's last. */
  public List<String> indexesFrom(long version) throws IOException {
    List<String> names = new ArrayList<>();
    for (ObjectInfo object : store.list("")) {
      PackNames.Parsed name = PackNames.parse(object.name());
      if (name != null && name.kind() == PackNames.Kind.INDEX && name.number() >= version) {
        names.add(object.name());
      }
    }
    names.sort(Comparator.naturalOrder());
    return names;
  }

  @Override
  public long length(String name) throws IOException {
    Pack pack = inMemory(name);
    return pack == null ? store.length(name) : pack.length();
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    Pack pack = inMemory(name);
    return pack == null ? store.read(name, offset, length) : pack.read(offset, length);
  }

  /** The storage behind stays open: others may read through it. */
  @Override
  public void close() {}
}
