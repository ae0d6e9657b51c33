package io.groundswell.spark.store.provider;

import io.groundswell.engine.ChangeRows;
import io.groundswell.engine.Slice;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A key that a version wrote or deleted.
 *
 * @param hash its partition hash
 * @param key its bytes
 */
record ChangedKey(int hash, byte[] key) {
  /**
   * The keys whose heads or segments changed, each once, in key order of the heads. Either may be
   * null.
   */
  static Iterator<ChangedKey> of(ChangeRows heads, ChangeRows segments) {
    Map<java.nio.ByteBuffer, ChangedKey> keys = new LinkedHashMap<>();
    add(keys, heads, 0);
    add(keys, segments, Integer.BYTES);
    return keys.values().iterator();
  }

  private static void add(Map<java.nio.ByteBuffer, ChangedKey> keys, ChangeRows rows, int suffix) {
    while (rows != null && rows.next()) {
      Slice slice = rows.key();
      byte[] key =
          Arrays.copyOfRange(slice.bytes, slice.offset, slice.offset + slice.length - suffix);
      keys.putIfAbsent(java.nio.ByteBuffer.wrap(key), new ChangedKey(rows.hash(), key));
    }
  }
}
