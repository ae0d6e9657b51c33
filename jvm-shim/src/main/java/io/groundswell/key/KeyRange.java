package io.groundswell.key;

import java.util.Arrays;

/**
 * What a scan may see: rows whose stem starts with {@code prefix} and whose user key lies in
 * {@code [lower, upper)}.
 *
 * <p>Bounds are compared with user keys and not with stems: behind the user key stands the hash,
 * so a bound such as {@code key + 0x00} would otherwise cut inside of a row's hash.
 *
 * @param layout of the table
 * @param prefix first bytes of every stem in the range
 * @param lower smallest user key, or null
 * @param upper user keys are smaller than this, or null
 */
public record KeyRange(TableSpec.Layout layout, byte[] prefix, byte[] lower, byte[] upper) {
  /** Every row of the table. */
  public static KeyRange table(TableSpec table) {
    return new KeyRange(table.layout(), tablePrefix(table), null, null);
  }

  /** Rows with this user-key prefix; {@code hash} counts only where it leads the key. */
  public static KeyRange prefix(
      TableSpec table, int hash, byte[] userPrefix, int offset, int length) {
    int head = InternalKey.userKeyOffset(table.layout());
    byte[] stem = new byte[head + length + InternalKey.HASH_BYTES];
    InternalKey.encodeStem(table, hash, userPrefix, offset, length, stem, 0);
    return new KeyRange(table.layout(), Arrays.copyOf(stem, head + length), null, null);
  }

  /** Of these the rows whose user key, which has the prefix, is {@code from} or larger. */
  public static KeyRange prefixFrom(
      TableSpec table, int hash, byte[] from, int length, int prefixLength) {
    KeyRange all = prefix(table, hash, from, 0, prefixLength);
    return new KeyRange(all.layout, all.prefix, Arrays.copyOf(from, length), null);
  }

  /** Rows of an {@code ORDERED} table with lower &lt;= user key &lt; upper; null: no bound. */
  public static KeyRange ordered(TableSpec table, byte[] lower, byte[] upper) {
    if (table.layout() != TableSpec.Layout.ORDERED) {
      throw new io.groundswell.error.EngineException(
          io.groundswell.error.ErrorCode.INVALID_ARGUMENT,
          "table '" + table.name() + "' is " + table.layout()
              + ": it keeps no order to take a range of; create it as ORDERED");
    }
    return new KeyRange(table.layout(), tablePrefix(table), lower, upper);
  }

  /** Rows of a {@code HASHED} table whose hash begins with this byte. */
  public static KeyRange hashed(TableSpec table, int firstByte) {
    if (table.layout() != TableSpec.Layout.HASHED) {
      throw new io.groundswell.error.EngineException(
          io.groundswell.error.ErrorCode.INVALID_ARGUMENT,
          "table '" + table.name() + "' is " + table.layout()
              + ": its keys do not begin with a hash; take a range of its keys");
    }
    byte[] prefix = Arrays.copyOf(tablePrefix(table), InternalKey.TABLE_BYTES + 1);
    prefix[InternalKey.TABLE_BYTES] = (byte) firstByte;
    return new KeyRange(table.layout(), prefix, null, null);
  }

  /** The range without what lies below a watermark, where bounds can say so. */
  public KeyRange from(Watermark watermark) {
    byte[] bound = watermark.bound();
    boolean whole = layout == TableSpec.Layout.ORDERED && prefix.length == InternalKey.TABLE_BYTES;
    return whole && (lower == null || Arrays.compareUnsigned(lower, bound) < 0)
        ? new KeyRange(layout, prefix, bound, upper)
        : this;
  }

  private static byte[] tablePrefix(TableSpec table) {
    byte[] prefix = new byte[InternalKey.TABLE_BYTES];
    InternalKey.putTable(prefix, 0, table.id());
    return prefix;
  }

  /** The internal key to seek to: no key of the range is smaller. */
  public byte[] seekTarget() {
    // Eight zero bytes at the end are the newest epoch there can be.
    if (lower == null) {
      return Arrays.copyOf(prefix, prefix.length + InternalKey.EPOCH_BYTES);
    }
    int head = InternalKey.userKeyOffset(layout);
    byte[] target = Arrays.copyOf(prefix, head + lower.length + InternalKey.EPOCH_BYTES);
    Arrays.fill(target, head, target.length, (byte) 0);
    System.arraycopy(lower, 0, target, head, lower.length);
    return target;
  }

  /** True if the range may have keys in {@code [smallest, largest]}, both internal keys. */
  public boolean mayOverlap(byte[] smallest, byte[] largest) {
    if (isAbove(largest)) {
      return false;
    }
    int stem = smallest.length - InternalKey.EPOCH_BYTES;
    int compared = Math.min(stem, prefix.length);
    if (Arrays.compareUnsigned(smallest, 0, compared, prefix, 0, compared) > 0) {
      return false;
    }
    return upper == null || !startsWithPrefix(smallest, smallest.length)
        || compareUserKey(smallest, smallest.length, upper) < 0;
  }

  /**
   * True if every key of the range is larger; scans ask this of each file, so it allocates little.
   */
  private boolean isAbove(byte[] key) {
    if (lower == null) {
      int stem = key.length - InternalKey.EPOCH_BYTES;
      return Arrays.compareUnsigned(prefix, 0, prefix.length, key, 0, stem) > 0;
    }
    byte[] target = seekTarget();
    return InternalKey.compare(target, target.length, key, key.length) > 0;
  }

  /** True if the key's stem starts with the prefix of this range. */
  public boolean startsWithPrefix(byte[] key, int length) {
    int n = prefix.length;
    return length - InternalKey.EPOCH_BYTES >= n && Arrays.equals(key, 0, n, prefix, 0, n);
  }

  /** True if every key of the range is smaller. */
  public boolean isBelow(byte[] key, int length) {
    int stem = Math.min(length - InternalKey.EPOCH_BYTES, prefix.length);
    int order = Arrays.compareUnsigned(key, 0, stem, prefix, 0, stem);
    return order > 0
        || (order == 0 && upper != null && stem == prefix.length
            && compareUserKey(key, length, upper) >= 0);
  }

  /** Order of an internal key's user key and {@code bound}. */
  public int compareUserKey(byte[] key, int length, byte[] bound) {
    int from = InternalKey.userKeyOffset(layout);
    int to = from + InternalKey.userKeyLength(length);
    return Arrays.compareUnsigned(key, from, to, bound, 0, bound.length);
  }
}
