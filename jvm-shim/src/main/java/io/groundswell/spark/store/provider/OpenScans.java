package io.groundswell.spark.store.provider;

import java.util.ArrayList;
import java.util.List;

/**
 * The scans of a store that may still be open when its task ends. An operator may scan once a row,
 * so those that were read to their end are forgotten now and then, at a constant cost a scan.
 */
final class OpenScans {
  private static final int FEW = 64;

  private final List<RowPairs> scans = new ArrayList<>();
  private int tidyAt = FEW;

  void add(RowPairs scan) {
    if (scans.size() >= tidyAt) {
      scans.removeIf(RowPairs::isClosed);
      tidyAt = Math.max(FEW, 2 * scans.size());
    }
    scans.add(scan);
  }

  int size() {
    return scans.size();
  }

  void close() {
    scans.forEach(RowPairs::close);
    scans.clear();
  }
}
