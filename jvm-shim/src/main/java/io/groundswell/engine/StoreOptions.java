package io.groundswell.engine;

/**
 * CONTRACT STUB: the numbers a user may tune.
 *
 * @param blockBytes target size of an uncompressed data block
 * @param compactAtFiles sub-levels that make the background merge start
 * @param bitsPerKey bits a key in the filter
 */
public record StoreOptions(int blockBytes, int compactAtFiles, int bitsPerKey) {
  public static StoreOptions defaults() {
    return new StoreOptions(16 << 10, 8, 10);
  }
}
