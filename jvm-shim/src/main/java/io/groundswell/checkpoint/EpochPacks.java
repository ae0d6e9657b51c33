package io.groundswell.checkpoint;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * The packs of a pipeline's epochs as this JVM sees them. Those that are written here are read from
 * memory until they are durable. Safe for many threads.
 */
public final class EpochPacks extends ForwardingObjectStore {
  /** Commits in the indexes that are remembered. */
  private static final int REMEMBERED_COMMITS = 1 << 15;

  /** For so many epochs an index is remembered that nobody asks for. */
  static final int REMEMBERED_EPOCHS = 256;

  private static final int TAIL = 32 << 10;

  private final ConcurrentMap<String, Pack> open = new ConcurrentHashMap<>();
  private final IntSupplier random;
  private final AtomicLong newest = new AtomicLong();
  private final Cache<String, EpochPackIndex> indexes =
      CacheBuilder.newBuilder()
          .maximumWeight(REMEMBERED_COMMITS)
          .concurrencyLevel(1) // the weight is divided by it
          .weigher((String name, EpochPackIndex index) -> 1 + index.commits().size())
          .ticker(new EpochTicker())
          .expireAfterAccess(Duration.ofNanos(REMEMBERED_EPOCHS))
          .build();

  /** The cache's clock counts epochs: what is of use does not depend on how long they take. */
  private final class EpochTicker extends Ticker {
    @Override
    public long read() {
      return newest.get();
    }
  }

  /** Packs stand in the folder {@code storage}. */
  public EpochPacks(ObjectStore storage) {
    this(storage, () -> ThreadLocalRandom.current().nextInt());
  }

  /** For simulations: what is random in ids comes from there. */
  public EpochPacks(ObjectStore storage, IntSupplier random) {
    super(storage);
    this.random = random;
  }

  /** A new pack for one task. */
  public EpochPack begin(int group, long epoch) {
    newest.accumulateAndGet(epoch, Math::max);
    while (true) {
      EpochPack pack = new EpochPack(this, EpochIds.id(group, epoch, random.getAsInt()));
      if (open.putIfAbsent(pack.bytes().name, pack.bytes()) == null) {
        return pack;
      }
    }
  }

  void publish(EpochPack pack, List<EpochPackIndex.Entry> commits) throws IOException {
    String name = pack.bytes().name;
    if (!store.putNew(name, pack.bytes().read(0, (int) pack.length()))) {
      throw new IOException(location() + "/" + name
          + " is there already, written by another task by chance: this one is to be run again");
    }
    Map<String, EpochPackIndex.Entry> byStore = new HashMap<>();
    commits.forEach(entry -> byStore.put(entry.commit().store(), entry));
    indexes.put(name, new EpochPackIndex(byStore));
    evict(pack);
  }

  void evict(EpochPack pack) {
    open.remove(pack.bytes().name, pack.bytes());
  }

  /** What is in a pack; a damaged one is {@code CORRUPTION}. */
  public EpochPackIndex index(String name) throws IOException {
    EpochPackIndex known = indexes.getIfPresent(name);
    if (known == null) {
      known = read(name);
      indexes.put(name, known);
    }
    return known;
  }

  private EpochPackIndex read(String name) throws IOException {
    String what = location() + "/" + name;
    long length = store.length(name);
    int tailLength = (int) Math.min(TAIL, length);
    byte[] tail = store.read(name, length - tailLength, tailLength);
    int wanted = EpochPackIndex.lengthOf(what, tail, length);
    byte[] bytes = wanted <= tailLength ? Arrays.copyOfRange(tail, tailLength - wanted, tailLength)
                                        : store.read(name, length - wanted, wanted);
    return EpochPackIndex.decode(what, name, bytes);
  }

  /** The commit of a store in the pack that commits of this id are in; null if it has none. */
  EpochPackIndex.Entry find(String path, String id) throws IOException {
    return index(EpochIds.packOf(id)).commits().get(path);
  }

  /** Names of the packs, of which some may be of no use to anybody; ascending by epoch. */
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    for (ObjectInfo object : store.list("")) {
      if (EpochIds.idOf(object.name()) != null) {
        names.add(object.name());
      }
    }
    names.sort(null);
    return names;
  }

  @Override
  public int deleteAll(List<String> names) throws IOException {
    int deleted = store.deleteAll(names);
    indexes.invalidateAll(names);
    return deleted;
  }

  boolean remembers(String name) {
    return indexes.getIfPresent(name) != null;
  }

  @Override
  public ObjectWriter create(String name) {
    throw new EngineException(
        ErrorCode.ILLEGAL_STATE, location() + "/" + name + ": packs are written by EpochPack");
  }

  @Override
  public long length(String name) throws IOException {
    Pack pack = open.get(name);
    return pack == null ? store.length(name) : pack.length();
  }

  @Override
  public byte[] read(String name, long offset, int length) throws IOException {
    Pack pack = open.get(name);
    return pack == null ? store.read(name, offset, length) : pack.read(offset, length);
  }

  /** The storage behind stays open: others may read through it. */
  @Override
  public void close() {}
}
