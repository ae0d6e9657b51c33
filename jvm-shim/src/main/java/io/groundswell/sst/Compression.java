package io.groundswell.sst;

/**
 * How a block's bytes are packed. Blocks of rows that Spark made are mostly zeros and lengths that
 * all rows share; measured on such blocks of 4 KiB, one thread.
 */
public enum Compression {
  NONE(0, 0),

  /** A third to three quarters of the bytes stay; unpacks at 3 GB/s. */
  LZ4(1, 0),

  /**
   * A fifth to two thirds stay. Packs as fast as LZ4, unpacks at 2 GB/s: for what is waited for.
   */
  ZSTD_FAST(2, -1),

  /** A sixth to a half stay. Packs half as fast, unpacks at 1 GB/s: for what is written seldom. */
  ZSTD(2, 1);

  /** The flag byte on disk. */
  final int flag;

  /** Of Zstandard. */
  final int level;

  Compression(int flag, int level) {
    this.flag = flag;
    this.level = level;
  }
}
