package io.groundswell.key;

import java.util.Arrays;

/**
 * Rows of a table whose user key is below this bound, as unsigned bytes, are dead: reads skip them,
 * merges drop them, nothing is written for it. A watermark only moves up.
 */
public final class Watermark {
  /** No row is below it. */
  public static final Watermark NONE = new Watermark(new byte[0]);

  private final byte[] bound;

  public Watermark(byte[] bound) {
    this.bound = bound.clone();
  }

  public boolean isSet() {
    return bound.length > 0;
  }

  public byte[] bound() {
    return bound.clone();
  }

  /** Whether the user key in these bytes is dead. */
  public boolean hides(byte[] bytes, int offset, int length) {
    return bound.length > 0
        && Arrays.compareUnsigned(bytes, offset, offset + length, bound, 0, bound.length) < 0;
  }

  /** As above, for the user key of an internal key. */
  public boolean hidesRow(TableSpec.Layout layout, byte[] internalKey, int length) {
    return bound.length > 0
        && hides(internalKey, InternalKey.userKeyOffset(layout), InternalKey.userKeyLength(length));
  }

  /** Whether all that the other one hides is hidden by this one. */
  public boolean covers(Watermark other) {
    return Arrays.compareUnsigned(bound, other.bound) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Watermark that && Arrays.equals(bound, that.bound);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bound);
  }

  @Override
  public String toString() {
    return isSet() ? java.util.HexFormat.of().formatHex(bound) : "none";
  }
}
