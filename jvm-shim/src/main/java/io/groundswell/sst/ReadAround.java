package io.groundswell.sst;

import io.groundswell.cache.CacheCounters;
import io.groundswell.error.EngineException;
import io.groundswell.storage.SideRequests;
import java.util.Arrays;
import java.util.concurrent.FutureTask;

/**
 * Fetches what reads of one file miss, with neighbours, where requests are slow; {@link FetchPlan}
 * says how many. Safe for many threads: of a stretch that is being read, all wait for one request.
 */
final class ReadAround {
  private final SstReader reader;
  private final Stretches stretches;

  ReadAround(SstReader reader) {
    this.reader = reader;
    stretches = new Stretches(reader.info().tailOffset());
  }

  /**
   * Block {@code i}, which is not in the cache. It enters the cache, and so do its neighbours if
   * all of its stretch is read and there is room: nothing has to leave for what nobody asked for.
   */
  Block missed(SstIndex index, int i, CacheCounters counters) {
    int stretch = Stretches.of(index.offset(i));
    FutureTask<Void> request = stretches.request(stretch);
    if (request == null) {
      counters.requests++;
      boolean near = FetchPlan.takesStretch(stretches.miss(stretch));
      if (!near || !reader.hasRoomFor(FetchPlan.STRETCH_BYTES)) {
        return alone(index, i, true);
      }
      request = stretches.request(stretch, () -> read(stretch));
    }
    Block found = request == null ? reader.cachedBlock(i) : awaited(request, i);
    return found == null ? alone(index, i, true) : found;
  }

  /** The block, if its stretch is being read and is kept; else null. */
  Block awaited(SstIndex index, int i) {
    FutureTask<Void> request = stretches.request(Stretches.of(index.offset(i)));
    return request == null ? null : awaited(request, i);
  }

  private Block awaited(FutureTask<Void> request, int i) {
    SideRequests.finish(request);
    return reader.cachedBlock(i);
  }

  /** Begins to read all of the file's blocks beside the caller; there must be room for them. */
  void beginAll() {
    for (int i = 0; i < stretches.count(); i++) {
      int stretch = i;
      if (stretches.request(stretch) == null) {
        FutureTask<Void> request = stretches.request(stretch, () -> read(stretch));
        if (request != null) {
          SideRequests.begin(request);
        }
      }
    }
  }

  /** With one request, and one that is the same each time, as a cache on disk has them. */
  private void read(int stretch) {
    SstIndex index = reader.tail().index(reader);
    int from = index.firstFrom((long) stretch * FetchPlan.STRETCH_BYTES);
    int end = index.firstFrom((stretch + 1L) * FetchPlan.STRETCH_BYTES);
    long start = index.offset(from);
    int length = (int) (index.offset(end) - start);
    if (!reader.hasRoomFor(length) || allCached(from, end)) {
      return;
    }
    try {
      keep(index, from, end, reader.read(start, length));
    } catch (EngineException failed) {
      // Whoever wants one of the blocks reads it alone, and is told.
    }
  }

  /** Puts all blocks into the cache. */
  void keepAll(byte[] section) {
    SstIndex index = reader.tail().index(reader);
    keep(index, 0, index.size(), section);
  }

  private void keep(SstIndex index, int from, int end, byte[] span) {
    try {
      for (int i = from; i < end; i++) {
        if (!reader.isCached(i)) {
          make(index, i, span, index.offset(from), true);
        }
      }
    } catch (EngineException damaged) {
      // Whoever wants one of the blocks that are missing now reads it alone, and is told.
    }
  }

  private boolean allCached(int from, int end) {
    for (int i = from; i < end; i++) {
      if (!reader.isCached(i)) {
        return false;
      }
    }
    return true;
  }

  /** Block {@code i}, read with some neighbours, which are not made of the bytes. */
  Block alone(SstIndex index, int i, boolean fillCache) {
    int from = i;
    int to = i;
    long part = index.offset(i) / FetchPlan.LONE_BYTES;
    while (from > 0 && index.offset(from - 1) / FetchPlan.LONE_BYTES == part) {
      from--;
    }
    while (to + 1 < index.size() && index.offset(to + 1) / FetchPlan.LONE_BYTES == part) {
      to++;
    }
    long start = index.offset(from);
    byte[] span = reader.read(start, (int) (index.offset(to + 1) - start));
    return make(index, i, span, start, fillCache);
  }

  /** With bytes of its own, so that its values do not keep the span alive. */
  private Block make(SstIndex index, int i, byte[] span, long start, boolean fillCache) {
    int at = (int) (index.offset(i) - start);
    byte[] own = Arrays.copyOfRange(span, at, at + index.length(i));
    return reader.makeBlock(index.offset(i), own, 0, own.length, i, fillCache);
  }
}
