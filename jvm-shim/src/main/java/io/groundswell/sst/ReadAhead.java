package io.groundswell.sst;

import io.groundswell.cache.CacheCounters;
import java.util.Arrays;

/**
 * Fetches blocks for a cursor. Once it has read two neighbours in a row it reads more of them with
 * one request, twice as many bytes each time: a scan of a remote file waits seldom, a short prefix
 * scan reads nothing in vain.
 */
final class ReadAhead {
  private static final int FIRST_BYTES = 64 << 10;
  private static final int MAX_BYTES = 1 << 20;

  private final SstReader reader;
  private final boolean fillCache;
  private final CacheCounters counters;
  private int lastNumber = -2;
  private int spanBytes = FIRST_BYTES;

  /** Bytes read and not used yet: blocks {@code from} to {@code to}, both included. */
  private byte[] span;

  private int from;
  private int to = -1;

  ReadAhead(SstReader reader, boolean fillCache, CacheCounters counters) {
    this.reader = reader;
    this.counters = counters;
    this.fillCache = fillCache;
  }

  Block block(SstIndex index, int number) {
    boolean sequential = number == lastNumber + 1;
    lastNumber = number;
    Block cached = reader.cachedBlock(number);
    if (cached != null) {
      counters.hits++;
      return cached;
    }
    counters.misses++;
    if (span != null && number >= from && number <= to) {
      return take(index, number);
    }
    if (!sequential) {
      span = null;
      spanBytes = FIRST_BYTES;
      return reader.missed(index, number, fillCache, counters);
    }
    Block awaited = fillCache ? reader.awaited(index, number) : null;
    if (awaited != null) {
      return awaited;
    }
    fill(index, number);
    return take(index, number);
  }

  private void fill(SstIndex index, int number) {
    long start = index.offset(number);
    int last = number;
    while (last + 1 < index.size() && index.offset(last + 2) - start <= spanBytes) {
      last++;
    }
    span = reader.read(start, (int) (index.offset(last + 1) - start));
    from = number;
    to = last;
    spanBytes = Math.min(2 * spanBytes, MAX_BYTES);
  }

  /** A block of the span with bytes of its own, so that its values do not keep the span alive. */
  private Block take(SstIndex index, int number) {
    int at = (int) (index.offset(number) - index.offset(from));
    byte[] own = Arrays.copyOfRange(span, at, at + index.length(number));
    if (number == to) {
      span = null;
    }
    return reader.makeBlock(index.offset(number), own, 0, own.length, number, fillCache);
  }
}
