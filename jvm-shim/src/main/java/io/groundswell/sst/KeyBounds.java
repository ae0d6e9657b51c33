package io.groundswell.sst;

import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects the largest user key of each table while an SST is written. */
final class KeyBounds {
  private final List<KeyBound> done = new ArrayList<>();
  private int table = -1;
  private TableSpec.Layout layout;
  private byte[] largest = new byte[64];
  private int length;

  /** The entries that follow are of this table; its layout is null if nobody can ask for it. */
  void start(int newTable, TableSpec.Layout newLayout) {
    end();
    table = newTable;
    layout = newLayout;
    length = 0;
  }

  /** Looks at one key. Those of an ORDERED table come in order of their user keys. */
  void add(byte[] key, int keyLength) {
    if (layout == null) {
      return;
    }
    int from = InternalKey.userKeyOffset(layout);
    int userLength = InternalKey.userKeyLength(keyLength);
    if (layout == TableSpec.Layout.HASHED
        && Arrays.compareUnsigned(key, from, from + userLength, largest, 0, length) <= 0) {
      return;
    }
    if (largest.length < userLength) {
      largest = new byte[2 * userLength];
    }
    System.arraycopy(key, from, largest, 0, userLength);
    length = userLength;
  }

  private void end() {
    if (table >= 0) {
      done.add(layout == null ? new KeyBound(table, null) : KeyBound.of(table, largest, 0, length));
    }
    table = -1;
  }

  /** One bound a table, by ascending id. */
  List<KeyBound> finish() {
    end();
    return List.copyOf(done);
  }
}
