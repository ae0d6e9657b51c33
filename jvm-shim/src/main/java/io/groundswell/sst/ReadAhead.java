package io.groundswell.sst;

import io.groundswell.cache.CacheCounters;
import io.groundswell.storage.SideRequests;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.FutureTask;

/**
 * Fetches blocks for a cursor. Once it has read two neighbours in a row it reads more of them with
 * one request, twice as many bytes each time: a scan of a remote file waits seldom, a short prefix
 * scan reads nothing in vain. A scan that has come to a megabyte a request has the next one asked
 * for beside it where requests are slow.
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

  /** What comes after them, asked for already: blocks up to {@code nextTo}; or null. */
  private FutureTask<byte[]> next;

  private int nextFrom;
  private int nextTo;

  ReadAhead(SstReader reader, boolean fillCache, CacheCounters counters) {
    this.reader = reader;
    this.counters = counters;
    this.fillCache = fillCache;
  }

  Block block(SstIndex index, int number) {
    boolean sequential = number == lastNumber + 1;
    lastNumber = number;
    Block cached = reader.cachedBlock(number, fillCache);
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
    if (next != null && number >= nextFrom && number <= nextTo) {
      span = awaited(index);
      from = nextFrom;
      to = nextTo;
    } else {
      from = number;
      to = last(index, number);
      span = read(index, from, to);
    }
    next = null;
    if (spanBytes == MAX_BYTES && to + 1 < index.size() && reader.hasHighLatency()) {
      int after = to + 1;
      int end = last(index, after);
      nextFrom = after;
      nextTo = end;
      next = SideRequests.begin(() -> read(index, after, end));
    }
    spanBytes = Math.min(2 * spanBytes, MAX_BYTES);
  }

  private int last(SstIndex index, int first) {
    int last = first;
    while (last + 1 < index.size() && index.offset(last + 2) - index.offset(first) <= spanBytes) {
      last++;
    }
    return last;
  }

  private byte[] read(SstIndex index, int first, int last) {
    long start = index.offset(first);
    return reader.read(start, (int) (index.offset(last + 1) - start));
  }

  private byte[] awaited(SstIndex index) {
    try {
      return SideRequests.await(next);
    } catch (IOException interrupted) {
      return read(index, nextFrom, nextTo);
    }
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
