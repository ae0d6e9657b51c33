package io.groundswell.sst;

import io.groundswell.key.InternalKey;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.FileNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The manifest's record of an SST: where it is and what is known of it without opening it.
 *
 * @param fileName the object it is in
 * @param offset where in the object it starts
 * @param length of the whole section, footer included
 * @param tailOffset where index, filter, properties and footer start, counted from {@code offset}
 * @param blocks number of data blocks
 * @param entries all versions and tombstones
 * @param tombstones of these, deletes
 * @param minEpoch oldest epoch in it
 * @param maxEpoch newest epoch in it
 * @param smallest first internal key
 * @param largest last internal key
 * @param keyBounds for each table in it a bound of its user keys, by ascending id
 * @param share what the version has of it; null: all
 */
public record SstInfo(String fileName, long offset, long length, long tailOffset, int blocks,
    long entries, long tombstones, long minEpoch, long maxEpoch, byte[] smallest, byte[] largest,
    List<KeyBound> keyBounds, FileShare share) {
  /** Of a file that a version has as a whole. */
  public SstInfo(String fileName, long offset, long length, long tailOffset, int blocks,
      long entries, long tombstones, long minEpoch, long maxEpoch, byte[] smallest, byte[] largest,
      List<KeyBound> keyBounds) {
    this(fileName, offset, length, tailOffset, blocks, entries, tombstones, minEpoch, maxEpoch,
        smallest, largest, keyBounds, null);
  }

  /** Appends this record, without the share. */
  public void encode(ByteWriter out) {
    out.string(fileName).varint(offset).varint(length).varint(tailOffset).varint(blocks);
    out.varint(entries).varint(tombstones).varint(minEpoch).varint(maxEpoch);
    out.blob(smallest).blob(largest).varint(keyBounds.size());
    keyBounds.forEach(bound -> bound.encode(out));
  }

  /** The same SST somewhere else. */
  public SstInfo at(String object, long newOffset) {
    return new SstInfo(object, newOffset, length, tailOffset, blocks, entries, tombstones, minEpoch,
        maxEpoch, smallest, largest, keyBounds, share);
  }

  /** What another version has of it, by another name. */
  public SstInfo shared(String name, FileShare as) {
    return new SstInfo(name, offset, length, tailOffset, blocks, entries, tombstones, minEpoch,
        maxEpoch, smallest, largest, keyBounds, as);
  }

  /** About how many bytes of it the version has. */
  public long ownBytes() {
    return share == null ? length : (long) (length * share.part());
  }

  /** Reads one record; raises {@code CORRUPTION} if it contradicts itself. */
  public static SstInfo decode(ByteReader in) {
    SstInfo info = new SstInfo(in.string(), in.varint(), in.varint(), in.varint(),
        in.count(Integer.MAX_VALUE - 8), in.varint(), in.varint(), in.varint(), in.varint(),
        in.blob(), in.blob(), keyBounds(in));
    if (!FileNames.isObject(info.fileName)) {
      throw in.corrupt("'" + info.fileName + "' is not a name of a file");
    }
    if (info.offset < 0 || info.length < SstFooter.BYTES || info.offset + info.length < 0
        || info.tailOffset < 0 || info.tailOffset > info.length - SstFooter.BYTES
        || info.blocks > info.tailOffset || info.tombstones < 0 || info.tombstones > info.entries
        || info.minEpoch < 0 || info.minEpoch > info.maxEpoch
        || info.smallest.length < InternalKey.OVERHEAD || info.largest.length < InternalKey.OVERHEAD
        || InternalKey.compare(
               info.smallest, info.smallest.length, info.largest, info.largest.length)
            > 0
        || info.keyBounds.isEmpty()) {
      throw in.corrupt("the record of '" + info.fileName + "' contradicts itself");
    }
    return info;
  }

  private static List<KeyBound> keyBounds(ByteReader in) {
    List<KeyBound> bounds = new ArrayList<>();
    for (int n = in.count(in.remaining()); n > 0; n--) {
      bounds.add(KeyBound.decode(in));
    }
    return List.copyOf(bounds);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SstInfo that && fileName.equals(that.fileName) && offset == that.offset
        && length == that.length && tailOffset == that.tailOffset && blocks == that.blocks
        && entries == that.entries && tombstones == that.tombstones && minEpoch == that.minEpoch
        && maxEpoch == that.maxEpoch && Arrays.equals(smallest, that.smallest)
        && Arrays.equals(largest, that.largest) && keyBounds.equals(that.keyBounds)
        && Objects.equals(share, that.share);
  }

  @Override
  public int hashCode() {
    return fileName.hashCode() * 31 + Long.hashCode(offset);
  }

  @Override
  public String toString() {
    return fileName + "@" + offset + "+" + length + " (" + entries + " entries, epochs " + minEpoch
        + ".." + maxEpoch + ")";
  }
}
