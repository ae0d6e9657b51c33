package io.groundswell.checkpoint;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * The packs of a pipeline's epochs as this JVM sees them. Those that are written here are read from
 * memory until they are durable. Safe for many threads.
 */
public final class EpochPacks extends PackFolder {
  /** Commits in the indexes that are remembered. */
  private static final int REMEMBERED_COMMITS = 1 << 15;

  /** For so many epochs an index is remembered that nobody asks for. */
  static final int REMEMBERED_EPOCHS = 256;

  private static final int TAIL = 32 << 10;

  /**
   * Packs that this process has written, where requests are slow: a merge reads what the commits
   * before it wrote. For all pipelines of the process.
   */
  private static final Cache<Written, Pack> RECENT =
      CacheBuilder.newBuilder()
          .maximumWeight(16 << 20)
          .concurrencyLevel(1) // the weight is divided by it
          .weigher((Written written, Pack pack) -> 64 + (int) pack.length())
          .build();

  private record Written(EpochPacks folder, String name) {}

  /** Bytes of packs that wait to be written while later barriers are at work, in this process. */
  private static final AtomicLong WAITING = new AtomicLong();

  /** So many may; a task that has more writes them itself. */
  private static final long MOST_WAITING = Runtime.getRuntime().maxMemory() / 16;

  private final ConcurrentMap<String, EpochPack> open = new ConcurrentHashMap<>();
  private final IntSupplier random;
  private final AtomicLong newest;

  // Both guarded by this.
  private long sharedBy;
  private OpenPacks shared;

  /** Those of barriers that are over and are written beside later ones, by number. */
  private final ConcurrentMap<Long, OpenPacks> kept = new ConcurrentHashMap<>();

  /** The cache's clock counts epochs: what is of use does not depend on how long they take. */
  private static Cache<String, PackIndex> indexes(AtomicLong newest) {
    return CacheBuilder.newBuilder()
        .maximumWeight(REMEMBERED_COMMITS)
        .concurrencyLevel(1) // the weight is divided by it
        .weigher((String name, PackIndex index) -> 1 + index.size())
        .ticker(new Ticker() {
          @Override
          public long read() {
            return newest.get();
          }
        })
        .expireAfterAccess(Duration.ofNanos(REMEMBERED_EPOCHS))
        .build();
  }

  /** Packs stand in the folder {@code storage}. */
  public EpochPacks(ObjectStore storage) {
    this(storage, () -> ThreadLocalRandom.current().nextInt());
  }

  /** For simulations: what is random in ids comes from there. */
  public EpochPacks(ObjectStore storage, IntSupplier random) {
    this(storage, random, new AtomicLong());
  }

  private EpochPacks(ObjectStore storage, IntSupplier random, AtomicLong newest) {
    super(storage, indexes(newest));
    this.random = random;
    this.newest = newest;
  }

  /** Packs of their own, for one task. */
  public OpenPacks alone(long epoch) {
    return new OpenPacks(this, epoch, false);
  }

  /** Whether so many bytes more may wait in memory. */
  static boolean hasRoom(long bytes) {
    return WAITING.get() + bytes <= MOST_WAITING;
  }

  /** Bytes of packs that wait in this process. */
  public static long waitingBytes() {
    return WAITING.get();
  }

  void took(EpochPack pack, long bytes) {
    if (pack.waits()) {
      WAITING.addAndGet(bytes);
    }
  }

  /**
   * The packs of this process that all tasks of a barrier share. Those of the barriers before are
   * forgotten: none of them is at work any more.
   *
   * @param number of the barrier; later ones of the application have greater ones
   */
  public OpenPacks shared(long number, long epoch) {
    return shared(number, epoch, false);
  }

  /**
   * As above.
   *
   * @param wait whether they are written while later barriers are at work
   */
  public synchronized OpenPacks shared(long number, long epoch, boolean wait) {
    if (number < sharedBy || number == sharedBy && shared == null) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          location() + ": a commit of epoch " + epoch + " comes when its barrier is over");
    }
    if (number > sharedBy) {
      endShared(sharedBy);
      sharedBy = number;
      shared = new OpenPacks(this, epoch, wait);
    }
    return shared;
  }

  /**
   * Makes packs durable that the tasks of a barrier have shared here. After a failure this may be
   * tried again.
   *
   * @return those that are not here, nor were
   */
  public List<String> publishShared(long number, List<String> names) {
    OpenPacks packs;
    synchronized (this) {
      packs = number == sharedBy ? shared : null;
    }
    return packs == null ? List.copyOf(names) : packs.publishOnly(names);
  }

  /**
   * Keeps the packs that the tasks of a barrier have shared here, readable, until they are made
   * durable ({@link #publishKept}) or given up.
   *
   * @return those that are not here, nor were
   */
  public synchronized List<String> keepShared(long number, List<String> names) {
    OpenPacks packs = number == sharedBy ? shared : null;
    if (packs == null) {
      return List.copyOf(names);
    }
    shared = null;
    kept.put(number, packs);
    return packs.keepOnly(names);
  }

  /** Makes the packs that were kept of a barrier durable; after a failure it may be tried again. */
  public void publishKept(long number) {
    OpenPacks packs = kept.get(number);
    if (packs == null) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          location() + ": the packs of barrier " + number
              + " are to be written, and nothing is kept of it");
    }
    packs.publishHeld();
    kept.remove(number);
  }

  /** Forgets what was kept of a barrier and is not durable. */
  public void giveUpKept(long number) {
    OpenPacks packs = kept.remove(number);
    if (packs != null) {
      packs.discard();
    }
  }

  /** Forgets what the tasks of a barrier have shared here and nobody has made durable. */
  public synchronized void endShared(long number) {
    if (shared != null && number == sharedBy) {
      shared.discard();
    }
  }

  /** A new pack. */
  EpochPack begin(int group, long epoch) {
    return begin(group, epoch, false);
  }

  /** A new pack, which may wait to be written while later barriers are at work. */
  EpochPack begin(int group, long epoch, boolean waits) {
    newest.accumulateAndGet(epoch, Math::max);
    while (true) {
      EpochPack pack = new EpochPack(this, EpochIds.id(group, epoch, random.getAsInt()), waits);
      if (open.putIfAbsent(pack.name(), pack) == null) {
        return pack;
      }
      Mark.PACK_ID_TAKEN.hit();
    }
  }

  void publish(EpochPack pack) throws IOException {
    String name = pack.name();
    byte[] bytes = pack.bytes().read(0, (int) pack.bytes().length());
    // After a failure whose object was written all the same, it is there already.
    if (!store.putNew(name, bytes) && !isThere(name, bytes)) {
      throw new IOException(location() + "/" + name
          + " is there already, written by another task by chance: this one is to be run again");
    }
    remember(name, pack.index());
    if (store.hasHighLatency()) {
      RECENT.put(new Written(this, name), pack.bytes());
    }
    evict(pack);
  }

  private boolean isThere(String name, byte[] bytes) throws IOException {
    boolean same = store.length(name) == bytes.length
        && Arrays.equals(store.read(name, 0, bytes.length), bytes);
    Mark.PACK_IS_THERE.hitIf(same);
    return same;
  }

  void evict(EpochPack pack) {
    if (open.remove(pack.name(), pack) && pack.waits()) {
      WAITING.addAndGet(-pack.taken());
    }
  }

  @Override
  public PackIndex index(String name) throws IOException {
    EpochPack pack = open.get(name);
    return pack == null ? super.index(name) : pack.index();
  }

  @Override
  PackIndex readIndex(String name) throws IOException {
    String what = location() + "/" + name;
    long length = store.length(name);
    int tailLength = (int) Math.min(TAIL, length);
    byte[] tail = store.read(name, length - tailLength, tailLength);
    int wanted = PackTrailer.lengthOf(what, tail, length);
    Mark.PACK_INDEX_IS_LONG.hitIf(wanted > tailLength);
    byte[] bytes = wanted <= tailLength ? Arrays.copyOfRange(tail, tailLength - wanted, tailLength)
                                        : store.read(name, length - wanted, wanted);
    return PackTrailer.decode(what, name, bytes);
  }

  /** The commit of a store in the pack that commits of this id are in; null if it has none. */
  PackIndex.Entry find(String path, long version, String id) throws IOException {
    return index(EpochIds.packOf(id)).find(path, version);
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
    int deleted = super.deleteAll(names);
    names.forEach(name -> RECENT.invalidate(new Written(this, name)));
    return deleted;
  }

  @Override
  public ObjectWriter create(String name) {
    throw new EngineException(
        ErrorCode.ILLEGAL_STATE, location() + "/" + name + ": packs are written by OpenPacks");
  }

  @Override
  Pack inMemory(String name) {
    EpochPack pack = open.get(name);
    return pack == null ? RECENT.getIfPresent(new Written(this, name)) : pack.bytes();
  }
}
