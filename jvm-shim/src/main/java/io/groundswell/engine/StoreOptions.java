package io.groundswell.engine;

import io.groundswell.compaction.CompactionOptions;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.sst.Compression;
import io.groundswell.sst.SstOptions;

/**
 * The numbers a user may tune. They concern what is written from now on: every store reads what any
 * choice has written.
 *
 * @param blockBytes target size of an uncompressed data block, 64 B to 16 MiB
 * @param compactAtFiles sub-levels that make the background merge start, 2 to 1,000
 * @param bitsPerKey bits a key in the filter, 0 (no filter) to 64
 * @param targetFileBytes size at which a merge starts its next output file, at least 1 KiB
 * @param compression of data blocks of commits and of merges that will be merged again
 * @param bottomCompression of data blocks of merges with nothing below them
 * @param levelBaseBytes while the deepest level is larger, another one is kept above it, at least 1
 * @param retained versions that other processes spare if they retire while this one commits; what a
 *     merge has made for an older one they may delete at any time. More than can be: none does
 */
public record StoreOptions(int blockBytes, int compactAtFiles, int bitsPerKey, long targetFileBytes,
    Compression compression, Compression bottomCompression, long levelBaseBytes, long retained) {
  private static final int DEFAULT_SUB_LEVELS = 4;
  private static final long DEFAULT_FILE_BYTES = 64L << 20;
  private static final long DEFAULT_LEVEL_BASE = 8L << 30;

  public StoreOptions {
    new SstOptions(blockBytes, bitsPerKey, compression); // refuses what is out of its bounds
    if (compactAtFiles < 2 || compactAtFiles > 1000) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "compactAtFiles " + compactAtFiles + " is outside 2..1000");
    }
    if (targetFileBytes < 1 << 10) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "targetFileBytes " + targetFileBytes + " is below 1024");
    }
    if (levelBaseBytes < 1) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "levelBaseBytes " + levelBaseBytes + " is below 1");
    }
  }

  public StoreOptions(int blockBytes, int compactAtFiles, int bitsPerKey) {
    this(blockBytes, compactAtFiles, bitsPerKey, DEFAULT_FILE_BYTES, Compression.ZSTD_FAST,
        Compression.ZSTD_FAST, DEFAULT_LEVEL_BASE, Long.MAX_VALUE);
  }

  /** One compression for all files. */
  public StoreOptions(int blockBytes, int compactAtFiles, int bitsPerKey, long targetFileBytes,
      Compression compression) {
    this(blockBytes, compactAtFiles, bitsPerKey, targetFileBytes, compression, compression,
        DEFAULT_LEVEL_BASE, Long.MAX_VALUE);
  }

  /** The same with other compressions. */
  public StoreOptions withCompression(Compression upper, Compression bottom) {
    return new StoreOptions(blockBytes, compactAtFiles, bitsPerKey, targetFileBytes, upper, bottom,
        levelBaseBytes, retained);
  }

  /** The same with another number of sub-levels that start a merge. */
  public StoreOptions withCompactAt(int subLevels) {
    return new StoreOptions(blockBytes, subLevels, bitsPerKey, targetFileBytes, compression,
        bottomCompression, levelBaseBytes, retained);
  }

  /** The same with another size from which on a level is opened above the deepest. */
  public StoreOptions withLevelBase(long bytes) {
    return new StoreOptions(blockBytes, compactAtFiles, bitsPerKey, targetFileBytes, compression,
        bottomCompression, bytes, retained);
  }

  /** The same beside processes that retire while this one commits, and spare so many versions. */
  public StoreOptions withRetained(long versions) {
    return new StoreOptions(blockBytes, compactAtFiles, bitsPerKey, targetFileBytes, compression,
        bottomCompression, levelBaseBytes, versions);
  }

  public static StoreOptions defaults() {
    return new StoreOptions(SstOptions.DEFAULT_BLOCK_BYTES, DEFAULT_SUB_LEVELS, 10);
  }

  /** For commits, and for merges with something below them. */
  SstOptions sst() {
    return new SstOptions(blockBytes, bitsPerKey, compression);
  }

  CompactionOptions compaction() {
    return new CompactionOptions(compactAtFiles, targetFileBytes, levelBaseBytes, retained);
  }

  /** For merges with nothing below them. */
  SstOptions bottomSst() {
    return sst().with(bottomCompression);
  }
}
