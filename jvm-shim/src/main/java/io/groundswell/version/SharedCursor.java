package io.groundswell.version;

import io.groundswell.iter.EntryCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.key.KeyRange;
import io.groundswell.sst.FileShare;

/**
 * The entries of a file that a version has a share of. It may end behind a range: what follows
 * there in the file may be many rows of others.
 */
final class SharedCursor extends EntryCursor {
  private final EntryCursor file;
  private final FileShare share;
  private final KeyRange range;

  private SharedCursor(EntryCursor file, FileShare share, KeyRange range) {
    this.file = file;
    this.share = share;
    this.range = range;
  }

  /**
   * @param share null: all of the file
   * @param range what is asked for; null: everything
   */
  static EntryCursor of(EntryCursor file, FileShare share, KeyRange range) {
    return share == null ? file : new SharedCursor(file, share, range);
  }

  @Override
  public void seekToFirst() {
    file.seekToFirst();
    take();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    file.seek(target, targetLength);
    take();
  }

  @Override
  public void next() {
    file.next();
    take();
  }

  private void take() {
    while (file.valid && !share.has(file.key, file.keyLength - InternalKey.EPOCH_BYTES)) {
      if (range != null && range.isBelow(file.key, file.keyLength)) {
        valid = false;
        return;
      }
      file.next();
    }
    show(file);
  }
}
