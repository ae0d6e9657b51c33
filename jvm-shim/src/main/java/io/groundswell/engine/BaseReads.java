package io.groundswell.engine;

import io.groundswell.cache.BlockCache;
import io.groundswell.filter.FilterKey;
import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.version.ReadCounters;
import io.groundswell.version.RunReader;
import io.groundswell.version.Version;
import java.util.Arrays;
import java.util.List;

/** Reads of files at an epoch: a version's, and those of the batch itself. One thread at a time. */
final class BaseReads {
  final ReadCounters counters = new ReadCounters();
  private final FilterKey filterKey = new FilterKey();
  private final RunReader[] base;
  private final BlockCache blocks;
  private final long epoch;

  /** Newest first. */
  private RunReader[] runs;

  private boolean prefetched;

  /** Lone requests after which all of the version's files are asked for; never again after that. */
  private long allAfter;

  BaseReads(OpenVersion base, long epoch) {
    this.base = base.runs;
    blocks = base.blocks;
    runs = base.runs;
    this.epoch = epoch;
    allAfter = base.requestsBeforeAll;
  }

  /** Puts runs that the reader itself wrote, newest first, above those of the version. */
  void own(RunReader[] newer) {
    runs = Arrays.copyOf(newer, newer.length + base.length);
    System.arraycopy(base, 0, runs, newer.length, base.length);
  }

  /** True if there is nothing to find. */
  boolean isEmpty() {
    return runs.length == 0;
  }

  /** Whether the row is live, and its value. */
  boolean get(int tableId, int hash, byte[] stem, int stemLength, LookupResult out) {
    if (!prefetched) {
      prefetched = true; // later rows find most files in use
      for (RunReader run : runs) {
        run.prefetch(stem, stemLength);
      }
    }
    lookAhead();
    FilterKey key = filterKey.set(tableId, hash);
    for (RunReader run : runs) {
      int found = run.get(key, stem, stemLength, epoch, out, counters);
      if (found != LookupResult.ABSENT) {
        return found == LookupResult.FOUND; // newer runs hold newer epochs: look no further
      }
    }
    return false;
  }

  /** Once reads turn out to be dense: the rest of them is likely to need most of the files. */
  private void lookAhead() {
    if (counters.cache.requests < allAfter) {
      return;
    }
    allAfter = Long.MAX_VALUE;
    long room = blocks.freeBytes();
    for (RunReader run : base) {
      room -= run.beginAll(room);
    }
  }

  /** False if no version of the row exists for sure; reads filters alone. */
  boolean mayContain(int tableId, int hash, byte[] stem, int stemLength) {
    FilterKey key = filterKey.set(tableId, hash);
    for (RunReader run : runs) {
      if (run.mayContain(key, stem, stemLength)) {
        return true;
      }
    }
    return false;
  }

  /** Appends cursors that hold the range's entries, newest first. */
  void addCursors(KeyRange range, List<EntryCursor> out) {
    lookAhead();
    for (RunReader run : runs) {
      add(run.cursor(range, counters), out);
    }
  }

  /** As above, for rows of one hash: filters leave files out. */
  void addCursors(TableSpec table, KeyRange range, int hash, List<EntryCursor> out) {
    addCursors(runs, table, range, hash, out);
  }

  /** As above, without the files that the reader itself wrote. */
  void addCursorsBefore(TableSpec table, KeyRange range, int hash, List<EntryCursor> out) {
    addCursors(base, table, range, hash, out);
  }

  private void addCursors(
      RunReader[] from, TableSpec table, KeyRange range, int hash, List<EntryCursor> out) {
    lookAhead();
    FilterKey key = filterKey.set(table.id(), hash);
    for (RunReader run : from) {
      add(run.cursor(range, key, counters), out);
    }
  }

  /** As above, but of the sub-levels alone that may hold entries of this epoch or later ones. */
  void addCursorsSince(long oldest, Version version, KeyRange range, List<EntryCursor> out) {
    for (int i = 0; i < runs.length; i++) {
      if (version.runs().get(i).maxEpoch() >= oldest) {
        add(runs[i].cursor(range, counters), out);
      }
    }
  }

  private static void add(EntryCursor cursor, List<EntryCursor> out) {
    if (cursor != null) {
      out.add(cursor);
    }
  }
}
