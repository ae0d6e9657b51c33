package io.groundswell.sst;

import io.groundswell.cache.CachedFile;
import io.groundswell.filter.BloomFilter;
import io.groundswell.storage.ByteReader;

/** What stands behind an SST's data blocks, parsed: index, filter, properties. */
final class SstTail {
  private static final int OBJECT_BYTES = 1200;

  final SstIndex index;

  /** Null if there is none, or one of a kind that this build does not know. */
  final BloomFilter filter;

  final int filterBytes;
  final BlockHeads heads;
  final Properties properties;

  /** Where the file's blocks are kept; null as long as nobody looks for one. */
  final CachedFile cached;

  private SstTail(SstIndex index, BloomFilter filter, int filterBytes, Properties properties) {
    this.index = index;
    this.filter = filter;
    this.filterBytes = filterBytes;
    this.properties = properties;
    this.heads = new BlockHeads(index.size());
    this.cached = null;
  }

  private SstTail(SstTail parsed, CachedFile cached) {
    this.index = parsed.index;
    this.filter = parsed.filter;
    this.filterBytes = parsed.filterBytes;
    this.properties = parsed.properties;
    this.heads = parsed.heads;
    this.cached = cached;
  }

  /** With blocks kept there. */
  SstTail in(CachedFile file) {
    return new SstTail(this, file);
  }

  /** Bytes of memory. */
  long weight() {
    return index.memoryBytes() + heads.memoryBytes() + filterBytes + OBJECT_BYTES;
  }

  /**
   * Parses a section's bytes from {@code tailOffset} on.
   *
   * @param what names the section in errors
   */
  static SstTail parse(String what, byte[] bytes, long tailOffset) {
    if (bytes.length < SstFooter.BYTES) {
      throw Frame.corrupt(what, "has " + bytes.length + " bytes behind its blocks");
    }
    SstFooter footer = SstFooter.decode(what, bytes, bytes.length - SstFooter.BYTES);
    if (footer.sectionLength() != tailOffset + bytes.length || footer.indexOffset() != tailOffset) {
      throw Frame.corrupt(what,
          "its record says that index and end are at " + tailOffset + " and "
              + (tailOffset + bytes.length) + ", its footer " + footer.indexOffset() + " and "
              + footer.sectionLength());
    }
    int filterAt = footer.indexLength();
    int propertiesAt = filterAt + footer.filterLength();
    Properties properties = Properties.decode(
        reader(what + ", properties", bytes, propertiesAt, footer.propertiesLength()));
    int blocks = (int) Math.min(Integer.MAX_VALUE, properties.number(what, Properties.BLOCKS));
    SstIndex index =
        SstIndex.parse(reader(what + ", index", bytes, 0, footer.indexLength()), blocks);
    if (index.size() == 0 || index.end() != tailOffset) {
      throw Frame.corrupt(what, "its blocks end at " + index.end() + ", its index is elsewhere");
    }
    return withFilter(what, index, properties, bytes, filterAt, footer.filterLength());
  }

  private static SstTail withFilter(
      String what, SstIndex index, Properties properties, byte[] bytes, int at, int length) {
    if (length == 0
        || properties.number(what, Properties.FILTER_KIND) != SstWriter.SPLIT_BLOCK_BLOOM) {
      return new SstTail(index, null, 0, properties);
    }
    Frame.Content bits = Frame.read(what + ", filter", bytes, at, length);
    // Copied, so that the index's raw bytes are not kept with it.
    byte[] own =
        java.util.Arrays.copyOfRange(bits.bytes(), bits.offset(), bits.offset() + bits.length());
    return new SstTail(index, new BloomFilter(own, 0, own.length), own.length, properties);
  }

  private static ByteReader reader(String what, byte[] bytes, int at, int length) {
    Frame.Content content = Frame.read(what, bytes, at, length);
    return new ByteReader(what, content.bytes(), content.offset(), content.length());
  }
}
