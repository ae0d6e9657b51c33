package io.groundswell.engine;

import io.groundswell.cache.BlockCache;
import io.groundswell.compaction.CompactionExecutor;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.memtable.MemoryBudget;
import io.groundswell.version.OpenTables;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/** What all stores of a JVM share: block cache, open tables, compaction threads, clock. */
public final class EngineServices implements AutoCloseable {
  /**
   * Bytes of the shared cache of blocks, indexes and filters; default: a quarter of the heap, 512
   * MiB at most.
   */
  public static final String CACHE_BYTES = "groundswell.cache.bytes";

  /** Threads that merge in the background; default 1. */
  public static final String COMPACTION_THREADS = "groundswell.compaction.threads";

  /**
   * Bytes that the mem-tables of all open batches may hold together before they spill, as many for
   * what operators collect of a barrier, and half as many (256 MiB at most) for rows between them;
   * default: an eighth of the heap.
   */
  public static final String MEMTABLE_BYTES = "groundswell.memtable.bytes";

  private static final long MAX_DEFAULT_CACHE = 512L << 20;
  private static final long MAX_EXCHANGED = 256L << 20;

  /** Results of merges that wait for a commit may hold one in so many bytes of the mem-tables'. */
  private static final int CARRIED_SHARE = 4;

  private final OpenTables tables;
  private final CompactionExecutor compactions;
  private final MemoryBudget memTables;
  private final MemoryBudget collected;
  private final MemoryBudget exchanged;
  private final InstantSource clock;
  private final IntSupplier idEnds;

  private EngineServices(long cacheBytes, CompactionExecutor compactions, long memTableBytes,
      InstantSource clock, IntSupplier idEnds) {
    tables = new OpenTables(new BlockCache(cacheBytes));
    if (memTableBytes < 1) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "memTableBytes " + memTableBytes + ": at least 1 wanted; see the system property "
              + MEMTABLE_BYTES);
    }
    this.compactions = compactions;
    memTables = new MemoryBudget(memTableBytes);
    collected = new MemoryBudget(memTableBytes);
    exchanged = new MemoryBudget(Math.min(memTableBytes / 2, MAX_EXCHANGED));
    this.clock = clock;
    this.idEnds = idEnds;
  }

  private static EngineServices shared;

  /**
   * The JVM's own: as configured, else made on first use, sized by the system properties above.
   */
  public static synchronized EngineServices shared() {
    if (shared == null) {
      shared = create(Long.getLong(CACHE_BYTES,
                          Math.min(Runtime.getRuntime().maxMemory() / 4, MAX_DEFAULT_CACHE)),
          Integer.getInteger(COMPACTION_THREADS, 1));
    }
    return shared;
  }

  /** Makes the JVM's own anew, of this size; stores that were opened before keep the old one. */
  public static synchronized EngineServices configureShared(
      long cacheBytes, int compactionThreads, long memTableBytes) {
    EngineServices configured =
        create(cacheBytes, compactionThreads, memTableBytes, InstantSource.system());
    closeShared();
    shared = configured;
    return configured;
  }

  /** Closes the JVM's own; who asks for it afterwards gets a new one. */
  public static synchronized void closeShared() {
    if (shared != null) {
      shared.close();
      shared = null;
    }
  }

  /** Separate from the shared one, for tests and tools. */
  public static EngineServices create(long cacheBytes, int compactionThreads) {
    return create(cacheBytes, compactionThreads, InstantSource.system());
  }

  /** As above, with a clock of one's own: it gives commits their ids. */
  public static EngineServices create(long cacheBytes, int compactionThreads, InstantSource clock) {
    return create(cacheBytes, compactionThreads,
        Long.getLong(MEMTABLE_BYTES, defaultMemTableBytes(Runtime.getRuntime().maxMemory())),
        clock);
  }

  /** As above, with a bound of one's own for mem-tables. */
  public static EngineServices create(
      long cacheBytes, int compactionThreads, long memTableBytes, InstantSource clock) {
    if (cacheBytes < 0 || compactionThreads < 1) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "cacheBytes " + cacheBytes + " and compactionThreads " + compactionThreads
              + ": at least 0 and 1 wanted; see the system properties " + CACHE_BYTES + " and "
              + COMPACTION_THREADS);
    }
    return new EngineServices(cacheBytes,
        new CompactionExecutor(compactionThreads, memTableBytes / CARRIED_SHARE), memTableBytes,
        clock, () -> ThreadLocalRandom.current().nextInt());
  }

  /**
   * For simulations: merges of all stores run one after the other where {@code merges} runs them,
   * and {@code idEnds} gives what is random in the names of files.
   */
  public static EngineServices simulated(long cacheBytes, long memTableBytes, InstantSource clock,
      ExecutorService merges, IntSupplier idEnds) {
    return new EngineServices(cacheBytes,
        new CompactionExecutor(1, merges, memTableBytes / CARRIED_SHARE), memTableBytes, clock,
        idEnds);
  }

  /** What mem-tables may hold by default in a JVM with so much heap. */
  public static long defaultMemTableBytes(long heapBytes) {
    return heapBytes / 8;
  }

  /** Bytes of memory that blocks, indexes and filters take. */
  public long cacheMemoryBytes() {
    return tables.blocks().usedBytes() + tables.blocks().pinnedBytes();
  }

  /** How many files of stores are open. */
  public int openFiles() {
    return tables.files();
  }

  OpenTables tables() {
    return tables;
  }

  CompactionExecutor compactions() {
    return compactions;
  }

  /** Bytes of memory that caches, mem-tables, operators and exchanges take now. */
  public long memoryBytes() {
    return cacheMemoryBytes() + memTables.used() + collected.used() + exchanged.used();
  }

  /** The parts of {@link #memoryBytes}, as messages name them. */
  public String memoryText() {
    return String.format("block cache %d MiB, mem-tables %d of %d MiB, changes that operators "
            + "collect %d of %d MiB, rows between operators %d of %d MiB",
        cacheMemoryBytes() >> 20, memTables.used() >> 20, memTables.total() >> 20,
        collected.used() >> 20, collected.total() >> 20, exchanged.used() >> 20,
        exchanged.total() >> 20);
  }

  /** What may be on its way between operators in memory. */
  public MemoryBudget exchanged() {
    return exchanged;
  }

  /** What operators may hold of the changes of a barrier. */
  public MemoryBudget collected() {
    return collected;
  }

  MemoryBudget memTables() {
    return memTables;
  }

  InstantSource clock() {
    return clock;
  }

  /** What is random in a new file's id. */
  IntSupplier idEnds() {
    return idEnds;
  }

  /** Stops the threads; stores that use these services merge no more. */
  @Override
  public void close() {
    compactions.close();
  }
}
