package io.groundswell.sst;

/**
 * The head of one entry: what stands before its key bytes. Short-lived; the compiler keeps it in
 * registers.
 */
final class BlockEntry {
  /** Bytes of the stem that the entry has in common with the one before. */
  int shared;

  int unshared;
  int valueLength;
  boolean delete;
  long epoch;

  private int at;

  /**
   * Reads the head of the entry at a position; returns where its key bytes are. Raises
   * IndexOutOfBoundsException if the entry does not lie before {@code end}.
   */
  int read(byte[] bytes, int position, int end, long baseEpoch) {
    at = position;
    shared = (int) varint(bytes);
    unshared = (int) varint(bytes);
    int tag = (int) varint(bytes);
    delete = (tag & 1) != 0;
    valueLength = tag >>> 1;
    long distance = varint(bytes);
    epoch = baseEpoch + (distance >>> 1 ^ -(distance & 1));
    int room = end - at;
    if ((shared | unshared) < 0 || unshared > room || valueLength > room - unshared) {
      throw new IndexOutOfBoundsException(position);
    }
    return at;
  }

  private long varint(byte[] bytes) {
    byte first = bytes[at++];
    return first >= 0 ? first : longVarint(bytes, first);
  }

  private long longVarint(byte[] bytes, byte first) {
    long value = first & 0x7F;
    for (int shift = 7; shift < 70; shift += 7) {
      byte next = bytes[at++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }
}
