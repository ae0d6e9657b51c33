package io.groundswell.sst;

/** How a stored block's bytes were packed; the ordinal is the flag byte on disk. */
public enum Compression {
  NONE,

  /** Fast both ways: for files that will soon be merged again. */
  LZ4,

  /** Some 2 times the work of LZ4 to write, a quarter fewer bytes: for files that stay. */
  ZSTD
}
