package io.groundswell.version;

import io.groundswell.iter.EntryCursor;
import io.groundswell.iter.Found;
import io.groundswell.key.KeyRange;
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
    files = run.files().stream().map(tables).toArray(SstReader[]::new);
  }

  public Run run() {
    return run;
  }

  /** As {@link SstReader#get}; the filter is asked first. */
  public int get(
      int tableId, int hash, byte[] stem, int stemLength, long epoch, Found out,
      ReadCounters counters) {
    int number = files.length == 1 ? 0 : run.fileOf(stem, stemLength);
    if (number < 0) {
      return Found.ABSENT;
    }
    SstReader file = files[number];
    if (!file.mayContain(tableId, hash)) {
      counters.filterNegatives++;
      return Found.ABSENT;
    }
    int found = file.get(stem, stemLength, epoch, out);
    if (found == Found.ABSENT) {
      counters.filterFalsePositives++;
    }
    return found;
  }

  /** False if no version of the row is in here for sure; no block is read. */
  public boolean mayContain(int tableId, int hash, byte[] stem, int stemLength) {
    int number = files.length == 1 ? 0 : run.fileOf(stem, stemLength);
    return number >= 0 && files[number].mayContain(tableId, hash);
  }

  /** Every entry, for merges: its blocks do not push others out of the cache. */
  public EntryCursor cursor() {
    EntryCursor[] cursors = new EntryCursor[files.length];
    for (int i = 0; i < files.length; i++) {
      cursors[i] = files[i].cursor(false);
    }
    return concat(List.of(cursors), run.files());
  }

  /** Entries of the range at least, or null if there are none; one filter for all. */
  public EntryCursor cursor(KeyRange range, ReadCounters counters) {
    return cursor(range, false, 0, 0, counters);
  }

  /** As above, for rows of one hash. */
  public EntryCursor cursor(KeyRange range, int tableId, int hash, ReadCounters counters) {
    return cursor(range, true, tableId, hash, counters);
  }

  private EntryCursor cursor(
      KeyRange range, boolean oneHash, int tableId, int hash, ReadCounters counters) {
    List<EntryCursor> cursors = new ArrayList<>(1);
    List<SstInfo> infos = new ArrayList<>(1);
    for (SstReader file : files) {
      SstInfo info = file.info();
      if (!range.mayOverlap(info.smallest(), info.largest())) {
        continue;
      }
      if (oneHash && !file.mayContain(tableId, hash)) {
        counters.filterNegatives++;
        continue;
      }
      cursors.add(file.cursor(true));
      infos.add(info);
    }
    return cursors.isEmpty() ? null : concat(cursors, infos);
  }

  private static EntryCursor concat(List<EntryCursor> cursors, List<SstInfo> infos) {
    return cursors.size() == 1 ? cursors.get(0) : new RunCursor(cursors, infos);
  }
}
