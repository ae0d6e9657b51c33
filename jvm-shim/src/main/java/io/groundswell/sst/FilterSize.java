package io.groundswell.sst;

/** What filters take together. Not thread-safe. */
public final class FilterSize {
  private long bytes;
  private long keys;

  void add(long moreBytes, long moreKeys) {
    bytes += moreBytes;
    keys += moreKeys;
  }

  /** Of their bits. */
  public long bytes() {
    return bytes;
  }

  /** Pairs of table and hash that were put into them. */
  public long keys() {
    return keys;
  }
}
