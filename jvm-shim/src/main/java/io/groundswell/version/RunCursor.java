package io.groundswell.version;

import io.groundswell.iter.EntryCursor;
import io.groundswell.key.InternalKey;
import io.groundswell.sst.SstInfo;
import java.util.List;

/** The files of one sub-level, one after the other. */
final class RunCursor extends EntryCursor {
  private final List<EntryCursor> files;
  private final List<SstInfo> infos;
  private int current;

  RunCursor(List<EntryCursor> files, List<SstInfo> infos) {
    this.files = files;
    this.infos = infos;
  }

  @Override
  public void seekToFirst() {
    current = 0;
    files.get(0).seekToFirst();
    take();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    int low = 0;
    int high = infos.size();
    while (low < high) { // the first file whose largest key is not below the target
      int middle = (low + high) >>> 1;
      byte[] largest = infos.get(middle).largest();
      if (InternalKey.compare(largest, largest.length, target, targetLength) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    current = low;
    if (low == infos.size()) {
      valid = false;
      return;
    }
    files.get(low).seek(target, targetLength);
    take();
  }

  @Override
  public void next() {
    files.get(current).next();
    take();
  }

  private void take() {
    EntryCursor file = files.get(current);
    while (!file.valid && current + 1 < files.size()) {
      file = files.get(++current);
      file.seekToFirst();
    }
    show(file);
  }
}
