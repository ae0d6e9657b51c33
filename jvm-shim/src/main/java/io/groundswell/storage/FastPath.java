package io.groundswell.storage;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Shorter ways to the same result, which can be refused: wherever there is one, the code asks here
 * whether it is open. Tests refuse some at random, and results must stay as they are. Closed by
 * {@link #refuse}, or in any process by the system property
 * {@code groundswell.fastpaths=seed:share}; else open, at the cost of reading a field.
 *
 * <p>Only what can be chosen anew each time is here: a choice that a state remembers, as that of
 * rows in bundles, is one of the plan.
 */
public enum FastPath {
  /** A filter says that a file does not have a row. */
  FILTER,
  /** A block is in the cache. */
  CACHED_BLOCK,
  /** A file changes its level without a merge. */
  MOVED_FILE,
  /** A commit leaves out a file of which a watermark or a dropped table has ended all rows. */
  DEAD_FILE,
  /** Tasks of one process exchange rows in memory. */
  LOCAL_EXCHANGE,
  /** A task borrows a copy of its operator that another task used before. */
  LENT_COPY,
  /** A barrier reads a source by the code that an earlier barrier made. */
  KEPT_CODE,
  /** An operator without changed rows is not run. */
  IDLE_OPERATOR,
  /** A partition whose operator wrote nothing commits nothing. */
  UNCHANGED_STATE,
  /** A group whose state stays as it is is not written. */
  UNCHANGED_GROUP,
  /** The stored minimum or maximum holds as long as its value is there. */
  STORED_EXTREME,
  /** Rows of an append-only side of a join are not netted by their key. */
  INSERTED_SIDE,
  /** Rows that a barrier has not written yet are sought in the version before it alone. */
  UNWRITTEN_ROWS,
  /** The changes of a view that come netted are not netted again, nor its rows read. */
  TRACKED_VIEW,
  /** A table whose files are those of the last look, which found nothing new, has nothing new. */
  IDLE_TABLE;

  private static final AtomicLongArray ASKED = new AtomicLongArray(values().length);
  private static final AtomicLongArray REFUSED = new AtomicLongArray(values().length);
  private static volatile Refusals refusals = told(System.getProperty("groundswell.fastpaths"));

  private record Refusals(long seed, double share) {
    boolean refuses(int path, long time) {
      long mixed = (seed * 31 + path) * 0x9E3779B97F4A7C15L + time * 0xBF58476D1CE4E5B9L;
      mixed = (mixed ^ mixed >>> 31) * 0x94D049BB133111EBL;
      return (mixed >>> 11) * 0x1.0p-53 < share;
    }
  }

  /** Whether the shorter way may be gone now. */
  public boolean isOpen() {
    Refusals now = refusals;
    if (now == null || !now.refuses(ordinal(), ASKED.getAndIncrement(ordinal()))) {
      return true;
    }
    REFUSED.incrementAndGet(ordinal());
    return false;
  }

  /**
   * Refuses each path at random from now on.
   *
   * @param seed of the choices, which go by how often a path was asked
   * @param share of the askings that are refused, 0 to 1
   */
  public static void refuse(long seed, double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share is from 0 to 1, not " + share);
    }
    for (FastPath path : values()) {
      ASKED.set(path.ordinal(), 0);
      REFUSED.set(path.ordinal(), 0);
    }
    refusals = new Refusals(seed, share);
  }

  /** Opens all paths. */
  public static void open() {
    refusals = null;
  }

  /** How often this path was refused since paths were closed last. */
  public long refused() {
    return REFUSED.get(ordinal());
  }

  private static Refusals told(String property) {
    if (property == null || property.isEmpty()) {
      return null;
    }
    int colon = property.indexOf(':');
    return new Refusals(Long.parseLong(property.substring(0, colon)),
        Double.parseDouble(property.substring(colon + 1)));
  }
}
