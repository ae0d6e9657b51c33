package io.groundswell.engine;

import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;

/** The stem of the row that is being worked on, in a buffer that is reused. */
final class StemBuffer {
  byte[] bytes = new byte[128];
  int length;

  void set(TableSpec table, int hash, byte[] key, int offset, int keyLength) {
    if (bytes.length < keyLength + InternalKey.OVERHEAD) {
      bytes = new byte[keyLength + keyLength / 2 + InternalKey.OVERHEAD];
    }
    length = InternalKey.encodeStem(table, hash, key, offset, keyLength, bytes, 0);
  }
}
