package io.groundswell.checkpoint;

/**
 * The numbers of an {@link Uploader}.
 *
 * @param maxSealedBytes that may wait for their upload; more makes sealing wait
 * @param packBytes at which a pack is uploaded without being asked for
 * @param keptBytes of packs that stay in memory after their upload
 * @param threads that upload
 */
public record UploadOptions(long maxSealedBytes, long packBytes, long keptBytes, int threads) {
  private static final long PACK_BYTES = 32L << 20;

  /** What fits a heap of this size: an eighth of it may wait, and as much stays. */
  public static UploadOptions of(long heapBytes) {
    return withSealed(Math.max(8L << 20, heapBytes / 8));
  }

  /** As above, with this many bytes that may wait. */
  public static UploadOptions withSealed(long maxSealedBytes) {
    return new UploadOptions(
        maxSealedBytes, Math.min(PACK_BYTES, maxSealedBytes), maxSealedBytes, 4);
  }

  /** A commit above this size is written by itself. */
  public long maxCommitBytes() {
    return maxSealedBytes / 4;
  }
}
