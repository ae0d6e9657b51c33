package io.groundswell.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The hash of a row key's bytes; never stored, so it may change with any release. */
final class RowHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private RowHash() {}

  static int of(byte[] bytes, int length) {
    long hash = length * MIX;
    int at = 0;
    for (; at + 8 <= length; at += 8) {
      hash = (hash ^ (long) LONG.get(bytes, at)) * MIX;
      hash ^= hash >>> 32;
    }
    long rest = 0;
    for (; at < length; at++) {
      rest = rest << 8 | (bytes[at] & 0xFF);
    }
    hash = (hash ^ rest) * MIX;
    return (int) (hash ^ hash >>> 32);
  }
}
