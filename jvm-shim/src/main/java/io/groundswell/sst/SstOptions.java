package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;

/**
 * How an SST is written. Every reader reads every choice.
 *
 * @param blockBytes a data block is closed when its entries have this many bytes
 * @param bitsPerKey size of the filter for each distinct (table, hash); 0: no filter
 * @param compression of data blocks; a block that would not shrink by an eighth is stored plain
 */
public record SstOptions(int blockBytes, int bitsPerKey, Compression compression) {
  /** About a page: what a point read that misses the cache has to read, check and copy. */
  public static final int DEFAULT_BLOCK_BYTES = 4 << 10;

  public static final int MIN_BLOCK_BYTES = 64;
  public static final int MAX_BLOCK_BYTES = 16 << 20;

  public SstOptions {
    if (blockBytes < MIN_BLOCK_BYTES || blockBytes > MAX_BLOCK_BYTES) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "blockBytes " + blockBytes + " is outside " + MIN_BLOCK_BYTES + ".." + MAX_BLOCK_BYTES);
    }
    if (bitsPerKey < 0 || bitsPerKey > 64) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "bitsPerKey " + bitsPerKey + " is outside 0..64");
    }
  }

  /** The same with another compression. */
  public SstOptions with(Compression other) {
    return new SstOptions(blockBytes, bitsPerKey, other);
  }

  public static SstOptions defaults() {
    return new SstOptions(DEFAULT_BLOCK_BYTES, 10, Compression.NONE);
  }
}
