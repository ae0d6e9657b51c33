package io.groundswell.sst;

/** How a stored block's bytes were packed; the ordinal is the flag byte on disk. */
public enum Compression { NONE, LZ4 }
