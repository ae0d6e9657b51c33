package io.groundswell.sst;

import io.groundswell.cache.CachedFile;
import io.groundswell.filter.BloomFilter;
import io.groundswell.storage.ByteReader;
import java.util.Arrays;

/**
 * What stands behind an SST's data blocks: index, filter, properties. The index is parsed when a
 * block is looked up for the first time, and may be read as late as that: most first reads of a
 * file end at its filter.
 */
final class SstTail {
  /** Of this and what it has, whatever they hold; ReaderMemoryTest weighs them. */
  private static final int OBJECT_BYTES = 600;

  /** Null if there is none, or one of a kind that this build does not know. */
  final BloomFilter filter;

  final int filterBytes;

  /** Keys in the filter; 0 if there is none. */
  final long filterKeys;

  /** Where the file's blocks are kept; null as long as nobody looks for one. */
  final CachedFile cached;

  private final String what;
  private final int blocks;

  /** Where the index is, and its frame's length. */
  private final long tailOffset;

  private final int indexLength;

  /** Encoded: hardly anybody asks for them, and as objects they would outweigh a small index. */
  private final byte[] propertyBytes;

  /** The index's content, checked, if it was read and not parsed yet; guarded by this. */
  private byte[] indexBytes;

  /** Immutable, so who sees it through a race sees all of it. */
  private SstIndex index;

  private SstTail(String what, SstFooter footer, byte[] indexBytes, int blocks, BloomFilter filter,
      int filterBytes, long filterKeys, byte[] propertyBytes) {
    this.what = what;
    this.indexBytes = indexBytes;
    this.indexLength = footer.indexLength();
    this.blocks = blocks;
    this.tailOffset = footer.indexOffset();
    this.filter = filter;
    this.filterBytes = filterBytes;
    this.filterKeys = filterKeys;
    this.propertyBytes = propertyBytes;
    this.cached = null;
  }

  private SstTail(SstTail other, CachedFile cached) {
    this.what = other.what;
    this.indexBytes = other.indexBytes;
    this.index = other.index;
    this.indexLength = other.indexLength;
    this.blocks = other.blocks;
    this.tailOffset = other.tailOffset;
    this.filter = other.filter;
    this.filterBytes = other.filterBytes;
    this.filterKeys = other.filterKeys;
    this.propertyBytes = other.propertyBytes;
    this.cached = cached;
  }

  /** With blocks kept there. To be asked before the index is. */
  SstTail in(CachedFile file) {
    return new SstTail(this, file);
  }

  /** Data blocks, as the properties say; the index has as many or is refused. */
  int blocks() {
    return blocks;
  }

  /** {@code reader} is asked for it if it was not read with the rest. */
  SstIndex index(SstReader reader) {
    SstIndex now = index;
    return now == null ? firstIndex(reader) : now;
  }

  private synchronized SstIndex firstIndex(SstReader reader) {
    if (index == null) {
      byte[] frame = indexBytes == null ? reader.read(tailOffset, indexLength) : null;
      Frame.Content content = frame == null ? new Frame.Content(indexBytes, 0, indexBytes.length)
                                            : Frame.read(what + ", index", frame, 0, frame.length);
      SstIndex parsed = SstIndex.parse(
          new ByteReader(what + ", index", content.bytes(), content.offset(), content.length()),
          blocks);
      if (parsed.size() == 0 || parsed.end() != tailOffset) {
        throw Frame.corrupt(what, "its blocks end at " + parsed.end() + ", its index is elsewhere");
      }
      index = parsed;
      indexBytes = null;
    }
    return index;
  }

  Properties properties() {
    return Properties.decode(
        new ByteReader(what + ", properties", propertyBytes, 0, propertyBytes.length));
  }

  /** Bytes of memory, once the index is parsed. */
  long weight() {
    return SstIndex.memoryBytes(blocks, indexLength) + filterBytes + propertyBytes.length
        + OBJECT_BYTES;
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
    SstFooter footer =
        footer(what, bytes, bytes.length - SstFooter.BYTES, tailOffset, tailOffset + bytes.length);
    // Copied, so that the rest of the bytes is not kept with them.
    byte[] indexBytes = copy(Frame.read(what + ", index", bytes, 0, footer.indexLength()));
    return parse(what, footer, indexBytes, bytes, footer.indexLength());
  }

  /**
   * Reads a section's tail but for its index.
   *
   * @param length of the section
   */
  static SstTail withoutIndex(SstReader reader, long tailOffset, long length) {
    byte[] end = reader.read(length - SstFooter.BYTES, SstFooter.BYTES);
    SstFooter footer = footer(reader.what(), end, 0, tailOffset, length);
    byte[] bytes = reader.read(footer.filterOffset(), (int) (length - footer.filterOffset()));
    return parse(reader.what(), footer, null, bytes, 0);
  }

  private static SstFooter footer(String what, byte[] bytes, int at, long tailOffset, long length) {
    SstFooter footer = SstFooter.decode(what, bytes, at);
    if (footer.sectionLength() != length || footer.indexOffset() != tailOffset) {
      throw Frame.corrupt(what,
          "its record says that index and end are at " + tailOffset + " and " + length
              + ", its footer " + footer.indexOffset() + " and " + footer.sectionLength());
    }
    return footer;
  }

  /**
   * @param indexBytes the index's content; null if it is to be read later
   * @param bytes what stands behind the index begins at {@code filterAt} of them
   */
  private static SstTail parse(
      String what, SstFooter footer, byte[] indexBytes, byte[] bytes, int filterAt) {
    int propertiesAt = filterAt + footer.filterLength();
    byte[] propertyBytes =
        copy(Frame.read(what + ", properties", bytes, propertiesAt, footer.propertiesLength()));
    Properties properties = Properties.decode(
        new ByteReader(what + ", properties", propertyBytes, 0, propertyBytes.length));
    int blocks = (int) Math.min(Integer.MAX_VALUE, properties.number(what, Properties.BLOCKS));
    if (blocks > footer.indexOffset() / Frame.TRAILER_BYTES) {
      throw Frame.corrupt(
          what, blocks + " blocks in " + footer.indexOffset() + " bytes before its index");
    }
    BloomFilter filter = null;
    int filterBytes = footer.filterLength();
    if (filterBytes > 0
        && properties.number(what, Properties.FILTER_KIND) == SstWriter.SPLIT_BLOCK_BLOOM) {
      Frame.Content content = Frame.read(what + ", filter", bytes, filterAt, filterBytes);
      boolean alone = filterAt == 0; // little else would be kept with it
      byte[] bits = alone ? content.bytes() : copy(content);
      filterBytes = content.length();
      filter = new BloomFilter(bits, alone ? content.offset() : 0, filterBytes);
    }
    return new SstTail(what, footer, indexBytes, blocks, filter, filter == null ? 0 : filterBytes,
        filter == null ? 0 : properties.number(what, Properties.FILTER_KEYS), propertyBytes);
  }

  private static byte[] copy(Frame.Content content) {
    return Arrays.copyOfRange(
        content.bytes(), content.offset(), content.offset() + content.length());
  }
}
