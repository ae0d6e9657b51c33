package io.groundswell.checkpoint;

import com.google.common.cache.CacheBuilder;
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
public final class BatchPacks extends PackFolder {
  private static final int REMEMBERED_INDEXES = 256;

  /** In memory, eldest first. Guarded by itself. */
  private final Map<String, Pack> packs = new LinkedHashMap<>();

  /** Packs stand in the folder {@code storage}. */
  public BatchPacks(ObjectStore storage) {
    super(storage, CacheBuilder.newBuilder().maximumSize(REMEMBERED_INDEXES).build());
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

  @Override
  Pack inMemory(String name) {
    synchronized (packs) {
      return packs.get(name);
    }
  }

  @Override
  PackIndex readIndex(String name) throws IOException {
    byte[] bytes = store.read(name, 0, (int) store.length(name));
    return PackIndexFile.decode(location() + "/" + name, bytes);
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
}
