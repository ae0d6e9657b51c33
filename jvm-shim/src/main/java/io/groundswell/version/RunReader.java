package io.groundswell.version;

import io.groundswell.cache.CacheCounters;
import io.groundswell.filter.FilterKey;
import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.KeyRange;
import io.groundswell.sst.FileShare;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads one sub-level. Safe for many threads. */
public final class RunReader {
  private final Run run;
  private final SstReader[] files;

  /** Opens nothing yet: readers do their I/O on first use. */
  public RunReader(Run run, Function<SstInfo, SstReader> tables) {
    this.run = run;
    files = run.files().stream().map(tables).toArray(SstReader[] ::new);
  }

  public Run run() {
    return run;
  }

  /**
   * As {@link SstReader#get}; the filter is asked first.
   *
   * @param filterKey the row's table and hash
   */
  public int get(FilterKey filterKey, byte[] stem, int stemLength, long epoch, LookupResult out,
      ReadCounters counters) {
    int number = fileOf(stem, stemLength);
    if (number < 0) {
      return LookupResult.ABSENT;
    }
    SstReader file = files[number];
    if (!file.mayContain(filterKey)) {
      counters.filterNegatives++;
      counters.filterGetNegatives++;
      return LookupResult.ABSENT;
    }
    FileShare share = run.files().get(number).share();
    if (share != null && !share.has(stem, stemLength)) {
      return LookupResult.ABSENT;
    }
    int found = file.get(stem, stemLength, epoch, out, counters.cache);
    if (found == LookupResult.ABSENT && file.hasFilter()) {
      counters.filterFalsePositives++;
    }
    return found;
  }

  /** Begins beside the caller what a read of the row has to know of its file. */
  public void prefetch(byte[] stem, int stemLength) {
    int number = fileOf(stem, stemLength);
    if (number >= 0) {
      files[number].prefetch();
    }
  }

  /** As {@link SstReader#beginAll} for all files, as far as the room goes; gives what they take. */
  public long beginAll(long room) {
    long taken = 0;
    for (SstReader file : files) {
      taken += file.beginAll(room - taken);
    }
    return taken;
  }

  /** False if no version of the row is in here for sure; no block is read. */
  public boolean mayContain(FilterKey filterKey, byte[] stem, int stemLength) {
    int number = fileOf(stem, stemLength);
    return number >= 0 && files[number].mayContain(filterKey);
  }

  /** The only file that may hold the row, or -1. A single file's filter knows better. */
  private int fileOf(byte[] stem, int stemLength) {
    return files.length == 1 ? 0 : run.fileOf(stem, stemLength);
  }

  /** Every entry, for merges: its blocks do not push others out of the cache. */
  public EntryCursor cursor() {
    EntryCursor[] cursors = new EntryCursor[files.length];
    CacheCounters unread = new CacheCounters();
    for (int i = 0; i < files.length; i++) {
      cursors[i] =
          SharedCursor.of(files[i].cursor(false, unread), run.files().get(i).share(), null);
    }
    return concat(List.of(cursors), run.files());
  }

  /** Entries of the range at least, or null if there are none; no filter is asked. */
  public EntryCursor cursor(KeyRange range, ReadCounters counters) {
    return find(range, null, counters);
  }

  /** As above, for rows of one table and hash: a filter may leave files out. */
  public EntryCursor cursor(KeyRange range, FilterKey filterKey, ReadCounters counters) {
    return find(range, filterKey, counters);
  }

  private EntryCursor find(KeyRange range, FilterKey filterKey, ReadCounters counters) {
    List<EntryCursor> cursors = new ArrayList<>(1);
    List<SstInfo> infos = new ArrayList<>(1);
    for (int i = 0; i < files.length; i++) {
      SstReader file = files[i];
      SstInfo info = run.files().get(i);
      if (!range.mayOverlap(info.smallest(), info.largest())) {
        continue;
      }
      FileShare share = info.share();
      if (filterKey != null) {
        if (share != null && !share.hasHash(filterKey.hash())) {
          continue; // the filter only knows whether anybody has such a row
        }
        if (!file.mayContain(filterKey)) {
          counters.filterNegatives++;
          continue;
        }
      }
      cursors.add(SharedCursor.of(file.cursor(true, counters.cache), share, range));
      infos.add(info);
    }
    return cursors.isEmpty() ? null : concat(cursors, infos);
  }

  private static EntryCursor concat(List<EntryCursor> cursors, List<SstInfo> infos) {
    return cursors.size() == 1 ? cursors.get(0) : new RunCursor(cursors, infos);
  }
}
