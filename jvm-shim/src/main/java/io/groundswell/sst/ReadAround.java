package io.groundswell.sst;

import io.groundswell.error.EngineException;
import java.util.Arrays;

/**
 * Fetches a block that a point read misses with all its neighbours in the same megabyte of the
 * file, for storage on which a request costs as much as a megabyte. It is how a cache that has room
 * gets warm: a first batch over all of a state takes a request a megabyte, not one a block. When
 * the cache is full, the neighbours read are few: what comes of it is for the disk cache.
 */
final class ReadAround {
  static final int BYTES = 1 << 20;

  /** Of a request when neighbours are not kept. A cache on disk has an entry for each. */
  static final int LEAST_BYTES = 16 << 10;

  private ReadAround() {}

  /** Block {@code i}, read with its neighbours, which are not made of the bytes. */
  static Block loadOne(SstReader reader, SstIndex index, int i, boolean fillCache) {
    int from = first(index, i, LEAST_BYTES);
    long start = index.offset(from);
    byte[] span = span(reader, index, from, last(index, i, LEAST_BYTES));
    return make(reader, index, i, span, start, fillCache);
  }

  /** The first block that starts in the same stretch of so many bytes. */
  private static int first(SstIndex index, int i, int bytes) {
    int from = i;
    while (from > 0 && index.offset(from - 1) / bytes == index.offset(i) / bytes) {
      from--;
    }
    return from;
  }

  private static int last(SstIndex index, int i, int bytes) {
    int to = i;
    while (to + 1 < index.size() && index.offset(to + 1) / bytes == index.offset(i) / bytes) {
      to++;
    }
    return to;
  }

  private static byte[] span(SstReader reader, SstIndex index, int from, int to) {
    long start = index.offset(from);
    return reader.read(start, (int) (index.offset(to) - start) + index.length(to));
  }

  /** Block {@code i}; it and its neighbours enter the cache. */
  static Block load(SstReader reader, SstTail tail, int i) {
    SstIndex index = tail.index();
    int from = first(index, i, BYTES);
    int to = last(index, i, BYTES);
    long start = index.offset(from);
    byte[] span = span(reader, index, from, to);
    Block wanted = make(reader, index, i, span, start, true);
    try {
      for (int other = from; other <= to; other++) {
        if (other != i && tail.cached.get(other) == null) {
          make(reader, index, other, span, start, true);
        }
      }
    } catch (EngineException damaged) {
      return wanted; // whoever wants that one is told
    }
    return wanted;
  }

  /** With bytes of its own, so that its values do not keep the span alive. */
  private static Block make(
      SstReader reader, SstIndex index, int i, byte[] span, long start, boolean fillCache) {
    int at = (int) (index.offset(i) - start);
    byte[] own = Arrays.copyOfRange(span, at, at + index.length(i));
    return reader.makeBlock(index.offset(i), own, 0, own.length, i, fillCache);
  }
}
