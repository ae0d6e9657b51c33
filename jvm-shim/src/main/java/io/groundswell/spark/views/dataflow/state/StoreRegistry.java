package io.groundswell.spark.views.dataflow.state;

import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.EpochSpace;
import io.groundswell.checkpoint.PackNames;
import io.groundswell.engine.EngineServices;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.StoreOptions;
import io.groundswell.sst.Compression;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;

/**
 * The open stores of this JVM, by folder, and the packs beside them. A store stays open between
 * barriers: what it has read of its files serves the next one. No executor hears of the end of a
 * pipeline, so a store that nobody asked for in so long is closed when another is asked for.
 */
public final class StoreRegistry {
  private static final ConcurrentMap<String, Kept<EpochStore>> OPEN = new ConcurrentHashMap<>();

  /** By their folder, which has the states' folder before it. */
  private static final ConcurrentMap<String, Kept<EpochPacks>> PACKS = new ConcurrentHashMap<>();

  /** Folders of files that several stores refer to. */
  private static final ConcurrentMap<String, Kept<ObjectStore>> ELSEWHERE =
      new ConcurrentHashMap<>();

  /**
   * By pipeline: each has a thousand entries, and each task and each read brings one of its own.
   */
  private static final ConcurrentMap<String, Kept<Configuration>> CONFS = new ConcurrentHashMap<>();

  /** Longer than barriers are apart in a pipeline that is at work; a store is opened in no time. */
  static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final long LOOK_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final AtomicLong LAST_LOOK = new AtomicLong(System.nanoTime());

  /** Something that is let go when nobody has asked for it in so long. */
  private static final class Kept<T> {
    final T value;
    private volatile long askedFor;

    Kept(T value) {
      this.value = value;
    }

    boolean isIdle(long now) {
      return now - askedFor > IDLE_NANOS;
    }
  }

  /** What is kept under a name; made if nothing is. */
  private static <T> T asked(
      ConcurrentMap<String, Kept<T>> all, String name, Function<String, T> make) {
    return all
        .compute(name,
            (key, known) -> {
              Kept<T> kept = known != null ? known : new Kept<>(make.apply(key));
              kept.askedFor = System.nanoTime();
              return kept;
            })
        .value;
  }

  /**
   * Rows are wide and much alike, keys and words of eight bytes above all: packed, they take a
   * quarter to a fifth. Tasks wait for commits, so those get what packs faster; nobody waits for
   * merges. They take cores from tasks all the same, and a barrier reads little of what is there:
   * so twice the sub-levels that others have.
   */
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withCompactAt(8).withCompression(
          Compression.ZSTD_FAST, Compression.ZSTD);

  /** Of stores that are opened from now on. */
  private static volatile StoreOptions options = OPTIONS;

  /** Begins the name of what the states of a generation after the first are in. */
  private static final String GENERATION = "generation-";

  private StoreRegistry() {}

  /**
   * Gives stores that this JVM opens later other sizes than views have: no size may ever show in
   * them, which tests try.
   *
   * @param other null: those that views have
   */
  public static void configure(StoreOptions other) {
    options = other == null ? OPTIONS : other;
  }

  /** The folder of a state; each of its partitions has one inside. */
  public static String folder(String root, String state) {
    return root + "/state/" + state;
  }

  /** The store of a folder, to begin something on at once; opened if it is not open. */
  public static EpochStore get(String folder, Configuration conf) {
    long now = System.nanoTime();
    long looked = LAST_LOOK.get();
    if (now - looked > LOOK_EVERY_NANOS && LAST_LOOK.compareAndSet(looked, now)) {
      closeIdle(now);
    }
    return asked(OPEN, folder, key -> open(key, conf));
  }

  private static EpochStore open(String folder, Configuration conf) {
    String home = homeOf(folder);
    Configuration shared = asked(CONFS, home, key -> conf);
    EpochSpace space = new EpochSpace(packs(folder, conf), pathOf(folder),
        other -> asked(ELSEWHERE, home + "/" + other, place -> ObjectStores.open(place, shared)));
    return EpochStore.at(folderOf(folder, conf), space, options, EngineServices.shared());
  }

  /** The packs that commits of a store may be in: beside the states. */
  public static EpochPacks packs(String folder, Configuration conf) {
    String states = folder.substring(0, folder.length() - pathOf(folder).length() - 1);
    return asked(PACKS, states + "/" + PackNames.FOLDER,
        key -> new EpochPacks(ObjectStores.open(key, conf)));
  }

  /** The packs of all states below {@code root}. */
  public static EpochPacks packsOf(String root, Configuration conf) {
    return packs(folder(root, "any/0"), conf);
  }

  /** A store's folder from the pipeline's own. */
  public static String placeOf(String folder) {
    return folder.substring(homeOf(folder).length() + 1);
  }

  /** The folder of the packs that commits of a store may be in, told as {@link #placeOf}. */
  public static String packsBeside(String place) {
    return place.substring(0, place.length() - pathOf(place).length()) + PackNames.FOLDER;
  }

  /** The pipeline's folder, in which the states of all generations are. */
  private static String homeOf(String folder) {
    String states = folder.substring(0, folder.length() - pathOf(folder).length() - 1);
    String root = states.substring(0, states.lastIndexOf('/'));
    int last = root.lastIndexOf('/');
    return root.startsWith(GENERATION, last + 1) ? root.substring(0, last) : root;
  }

  /** A store's folder from the one that all states are in: its state and partition. */
  public static String pathOf(String folder) {
    int partition = folder.lastIndexOf('/');
    return folder.substring(folder.lastIndexOf('/', partition - 1) + 1);
  }

  /** Files that somebody in this process reads, of open stores below {@code root}. */
  static Set<String> filesInUse(String root) {
    Set<String> files = new HashSet<>();
    OPEN.forEach((folder, open) -> {
      if (folder.startsWith(root + "/")) {
        files.addAll(open.value.filesInUse());
      }
    });
    return files;
  }

  /**
   * Closes stores that nobody reads or writes, nor asked for in so long; returns how many. Packs go
   * after the stores beside them: those of another number of partitions are never asked for again.
   */
  static int closeIdle(long now) {
    int closed = closeUnused((folder, store) -> store.isIdle(now));
    for (String packs : PACKS.keySet()) {
      String states = packs.substring(0, packs.length() - PackNames.FOLDER.length());
      PACKS.computeIfPresent(packs, (key, kept) -> {
        boolean needed = OPEN.keySet().stream().anyMatch(folder -> folder.startsWith(states));
        return needed || !kept.isIdle(now) ? kept : null;
      });
    }
    ELSEWHERE.values().removeIf(folder -> folder.isIdle(now)); // a store keeps its own
    CONFS.values().removeIf(conf -> conf.isIdle(now));
    return closed;
  }

  /** Closes the stores below a folder that was deleted, but for those that somebody reads still. */
  public static void closeBelow(String deleted) {
    closeUnused((folder, store) -> folder.startsWith(deleted + "/"));
  }

  private static int closeUnused(BiPredicate<String, Kept<EpochStore>> which) {
    List<EpochStore> gone = new ArrayList<>();
    for (String folder : OPEN.keySet()) {
      OPEN.computeIfPresent(folder, (key, open) -> {
        if (!which.test(key, open) || open.value.isInUse()) {
          return open;
        }
        gone.add(open.value);
        return null;
      });
    }
    gone.forEach(EpochStore::close);
    return gone.size();
  }

  /** How many stores are open. */
  static int size() {
    return OPEN.size();
  }

  /** Of how many folders the packs are known. */
  static int packs() {
    return PACKS.size();
  }

  /** One partition's folder, with what is ahead of it. */
  static PendingFolder folderOf(String folder, Configuration conf) {
    return new PendingFolder(ObjectStores.open(folder, conf));
  }

  /** Closes the stores below {@code root} that this JVM has open. */
  public static void close(String root) {
    String home = homeOf(folder(root, "any/0"));
    CONFS.remove(home); // who begins anew may bring other credentials
    ELSEWHERE.keySet().removeIf(place -> place.startsWith(home + "/"));
    OPEN.forEach((folder, open) -> {
      if (folder.startsWith(root + "/") && OPEN.remove(folder, open)) {
        open.value.close();
      }
    });
  }
}
