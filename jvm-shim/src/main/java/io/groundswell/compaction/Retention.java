package io.groundswell.compaction;

import io.groundswell.iter.EntryCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.storage.Mark;
import io.groundswell.version.Catalogue;

/**
 * Which entries a merge keeps. Fed with entries in internal-key order: of each row the newest
 * version at or below the safe epoch stays, and all above; a tombstone at or below the safe epoch
 * goes if nothing lies below the merge; rows of dropped tables and rows below their table's
 * watermark go. Of equal keys, which parts of one spilled batch may have, the first stays.
 */
final class Retention {
  private final Catalogue tables;
  private final long safeEpoch;
  private final boolean bottom;
  private byte[] row = new byte[64];
  private int rowLength;
  private boolean settled;
  private boolean newRow;
  private int table = -1;
  private TableSpec spec;
  private Watermark watermark = Watermark.NONE;
  private boolean dead;
  private long lastEpoch;

  Retention(Catalogue tables, long safeEpoch, boolean bottom) {
    this.tables = tables;
    this.safeEpoch = safeEpoch;
    this.bottom = bottom;
  }

  /** Whether the entry that the cursor stands on stays. */
  boolean keeps(EntryCursor entry) {
    int id = InternalKey.tableOf(entry.key);
    if (id != table) {
      table = id;
      spec = tables.byId(id);
      watermark = tables.watermark(id);
    }
    if (spec == null) {
      return false;
    }
    newRow = !InternalKey.sameUserKey(entry.key, entry.keyLength, row, rowLength);
    if (newRow) {
      remember(entry);
      settled = false;
      dead = watermark.isSet() && watermark.hidesRow(spec.layout(), entry.key, entry.keyLength);
    }
    long epoch = InternalKey.epochOf(entry.key, entry.keyLength);
    boolean repeated = !newRow && epoch == lastEpoch;
    Mark.KEY_REPEATED_IN_A_BATCH.hitIf(repeated);
    lastEpoch = epoch;
    if (dead || settled || repeated) {
      return false; // settled: shadowed by a newer version that every reader of the result sees
    }
    if (epoch > safeEpoch) {
      return true;
    }
    settled = true;
    return !(entry.delete && bottom);
  }

  /** Whether the entry last asked for was the first of its row; only before it may a file end. */
  boolean startsRow() {
    return newRow;
  }

  private void remember(EntryCursor entry) {
    if (row.length < entry.keyLength) {
      row = new byte[Math.max(entry.keyLength, row.length * 2)];
    }
    System.arraycopy(entry.key, 0, row, 0, entry.keyLength);
    rowLength = entry.keyLength;
  }
}
