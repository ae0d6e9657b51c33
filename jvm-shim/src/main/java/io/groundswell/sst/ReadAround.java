package io.groundswell.sst;

import io.groundswell.error.EngineException;
import java.util.Arrays;

/**
 * Fetches a block that a point read misses with all its neighbours in the same megabyte of the
 * file, for storage on which a request costs as much as a megabyte. It is how a cache that has room
 * gets warm: a first batch over all of a state takes a request a megabyte, not one a block.
 */
final class ReadAround {
  static final int BYTES = 1 << 20;

  private ReadAround() {}

  /** Block {@code i}; it and its neighbours enter the cache. */
  static Block load(SstReader reader, SstTail tail, int i) {
    SstIndex index = tail.index;
    long stretch = index.offset(i) / BYTES;
    int from = i;
    while (from > 0 && index.offset(from - 1) / BYTES == stretch) {
      from--;
    }
    int to = i;
    while (to + 1 < index.size() && index.offset(to + 1) / BYTES == stretch) {
      to++;
    }
    long start = index.offset(from);
    byte[] span = reader.read(start, (int) (index.offset(to) - start) + index.length(to));
    Block wanted = make(reader, index, i, span, start);
    try {
      for (int other = from; other <= to; other++) {
        if (other != i && tail.cached.get(other) == null) {
          make(reader, index, other, span, start);
        }
      }
    } catch (EngineException damaged) {
      return wanted; // whoever wants that one is told
    }
    return wanted;
  }

  /** With bytes of its own, so that its values do not keep the span alive. */
  private static Block make(SstReader reader, SstIndex index, int i, byte[] span, long start) {
    int at = (int) (index.offset(i) - start);
    byte[] own = Arrays.copyOfRange(span, at, at + index.length(i));
    return reader.makeBlock(index.offset(i), own, 0, own.length, i, true);
  }
}
