package io.groundswell.iter;

import io.groundswell.key.InternalKey;
import io.groundswell.key.KeyRange;

/**
 * The rows of a range as an epoch sees them: of each key the newest version at or below the epoch,
 * nothing where that is a delete. Position is held in plain fields, like {@link EntryCursor}'s.
 */
public final class VisibleCursor {
  /** Internal key of the row, valid until the next step. */
  public byte[] key = new byte[64];

  public int keyLength;

  /** Value bytes; immutable, they outlive the cursor. */
  public byte[] value;

  public int valueOffset;
  public int valueLength;

  private final EntryCursor source;
  private final KeyRange range;
  private final long epoch;
  private boolean started;
  private boolean ended;

  public VisibleCursor(EntryCursor source, KeyRange range, long epoch) {
    this.source = source;
    this.range = range;
    this.epoch = epoch;
  }

  /** Steps to the next row; false at the end. Does no work before its first call. */
  public boolean next() {
    if (ended) {
      return false;
    }
    EntryCursor in = source;
    if (!started) {
      start();
    } else {
      in.next();
    }
    while (in.valid && inRange(in)) {
      int length = in.keyLength;
      if (InternalKey.epochOf(in.key, length) > epoch
          || InternalKey.sameUserKey(in.key, length, key, keyLength)) {
        in.next();
        continue;
      }
      remember(in);
      if (!in.delete) {
        value = in.value;
        valueOffset = in.valueOffset;
        valueLength = in.valueLength;
        return true;
      }
      in.next();
    }
    ended = true;
    return false;
  }

  /** The epoch that wrote the row. */
  public long rowEpoch() {
    return InternalKey.epochOf(key, keyLength);
  }

  private void start() {
    started = true;
    byte[] target = range.seekTarget();
    source.seek(target, target.length);
    byte[] lower = range.lower();
    while (lower != null && source.valid && range.startsWithPrefix(source.key, source.keyLength)
        && range.compareUserKey(source.key, source.keyLength, lower) < 0) {
      source.next();
    }
  }

  private boolean inRange(EntryCursor in) {
    return range.startsWithPrefix(in.key, in.keyLength)
        && (range.upper() == null || range.compareUserKey(in.key, in.keyLength, range.upper()) < 0);
  }

  private void remember(EntryCursor in) {
    int length = in.keyLength;
    if (key.length < length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    System.arraycopy(in.key, 0, key, 0, length);
    keyLength = length;
  }
}
