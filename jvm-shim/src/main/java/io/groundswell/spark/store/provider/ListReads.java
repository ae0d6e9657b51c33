package io.groundswell.spark.store.provider;

import io.groundswell.engine.Reader;
import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.store.encoding.ValueList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The lists of families with many values a key. A short list is one value, the head, under the key
 * itself. What no longer fits follows in segments, in a table of their own, under (key, number from
 * 1 on). So an append rewrites one segment and not the list.
 */
class ListReads {
  private static final String TABLE_PREFIX = "$segments_";

  final Slice head = new Slice();
  byte[] segmentKey = new byte[64];
  private final Reader reader;

  ListReads(Reader reader) {
    this.reader = reader;
  }

  static String tableOf(String family) {
    return TABLE_PREFIX + family;
  }

  /** Whether a table holds segments, which are no keys of anybody. */
  static boolean holdsSegments(TableSpec table) {
    return table.name().startsWith(TABLE_PREFIX) && !table.counted();
  }

  /** The values of a key, in bytes that stay as they are; null if the key is absent. */
  final Iterator<UnsafeRow> values(Family family, int hash, byte[] key, int offset, int length) {
    if (!reader.get(family.table, hash, key, offset, length, head)) {
      return null;
    }
    Iterator<UnsafeRow> first = new ValueList.Rows(head, family.rows);
    int segments = ValueList.segments(head);
    if (segments == 0) {
      return first;
    }
    List<Slice> slices = new ArrayList<>(segments);
    for (int number = 1; number <= segments; number++) {
      Slice slice = new Slice();
      segment(family, hash, segmentKey(key, offset, length, number), slice);
      slices.add(slice);
    }
    return new SegmentRows(first, slices.iterator(), family.rows);
  }

  /** The segment whose key was built last. */
  final void segment(Family family, int hash, int keyLength, Slice out) {
    if (!reader.get(family.segments, hash, segmentKey, 0, keyLength, out)) {
      throw new IllegalStateException(
          "a segment of a list of " + family.spec.name() + " is missing; please report this");
    }
  }

  /** Builds the key of a segment; returns its length. */
  final int segmentKey(byte[] key, int offset, int length, int number) {
    int size = length + Integer.BYTES;
    if (segmentKey.length < size) {
      segmentKey = Arrays.copyOf(segmentKey, 2 * size);
    }
    System.arraycopy(key, offset, segmentKey, 0, length);
    for (int i = 0; i < Integer.BYTES; i++) {
      segmentKey[length + i] = (byte) (number >>> 8 * (3 - i));
    }
    return size;
  }
}
