package io.groundswell.version;

import io.groundswell.iter.EntryCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.sst.FileShare;

/** The entries of a file that a version has a share of. */
final class SharedCursor extends EntryCursor {
  private final EntryCursor file;
  private final FileShare share;

  SharedCursor(EntryCursor file, FileShare share) {
    this.file = file;
    this.share = share;
  }

  static EntryCursor of(EntryCursor file, FileShare share) {
    return share == null ? file : new SharedCursor(file, share);
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
      file.next();
    }
    show(file);
  }
}
