package io.groundswell.sst;

/**
 * How much to ask for where requests are slow: one costs about as much time as a megabyte read with
 * it, and bytes that nobody needs cost, too. Rows spread over a large state must not bring it in,
 * rows that touch most of it must not wait for each block. Who reads cannot know which is coming,
 * so it pays for lone requests until they have cost as much as all would (as one who rents skis
 * before buying them): at most about twice what knowing would have cost. What the batches before
 * this one wrote is a forecast, and shortens that.
 */
public final class FetchPlan {
  /** What a request costs, as bytes that could be read in its time. */
  private static final int REQUEST_BYTES = 1 << 20;

  /** Bytes that a first miss asks for. A cache on disk has an entry for each. */
  static final int LONE_BYTES = 16 << 10;

  /** Files are cut into stretches of so many bytes, each asked for with one request. */
  static final int STRETCH_BYTES = 1 << 20;

  /** A section of at most so many bytes is read with its index, all at once. */
  private static final int SMALL_SECTION = 64 << 10;

  /**
   * The miss that brings all of its stretch in: rows as dense as one in two megabytes meet there
   * by chance in one stretch of six hundred.
   */
  private static final int NEAR = 4;

  /** Lone requests that are nothing yet, however small the state. */
  private static final int FEW = 4;

  /** Rows a batch that are many: so many times the requests after which all is asked for. */
  private static final int MANY = 4;

  /** So much less is paid by who expects many rows. */
  private static final int TRUST = 16;

  private FetchPlan() {}

  /** Whether a section of so many bytes is read as a whole when it is first used. */
  static boolean takesSection(long bytes) {
    return bytes <= SMALL_SECTION;
  }

  /** Whether a stretch's {@code n}-th miss, counted from 1, asks for all of it. */
  static boolean takesStretch(int n) {
    return n >= NEAR;
  }

  /**
   * Lone requests of one reader after which it asks for all of a state.
   *
   * @param bytes of the state
   * @param usual rows that batches wrote lately; 0 if that is not known. If they were many for the
   *     state, this one's are expected to be, too, and less has to be paid to find out
   */
  public static long takesAllAfter(long bytes, long usual) {
    long patience = bytes / REQUEST_BYTES;
    return FEW + (usual >= MANY * (FEW + patience) ? patience / TRUST : patience);
  }
}
