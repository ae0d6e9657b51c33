package io.groundswell.spark.views.operator.codec;

import java.math.BigInteger;

/** An integer of any size that is cheap while it fits 128 bits. Not thread-safe. */
public final class ExactInteger {
  private long high;
  private long low;
  private BigInteger big; // in force, if not null, instead of high and low

  /** Adds the value if the weight is positive, else takes it away. */
  public void add(long value, int weight) {
    if (weight > 0) {
      add(value >> 63, value);
    } else {
      add(-(value >> 63) - (value == 0 ? 0 : 1), -value);
    }
  }

  /** Adds the 128-bit two's complement number. */
  public void add(long addHigh, long addLow) {
    if (big != null) {
      big = big.add(join(addHigh, addLow));
      return;
    }
    long sumLow = low + addLow;
    long carry = Long.compareUnsigned(sumLow, low) < 0 ? 1 : 0;
    long sumHigh = high + addHigh + carry;
    if (((high ^ sumHigh) & (addHigh ^ sumHigh)) < 0) {
      big = join(high, low).add(join(addHigh, addLow));
    } else {
      high = sumHigh;
      low = sumLow;
    }
  }

  public void add(BigInteger value) {
    set(value().add(value));
  }

  public BigInteger value() {
    return big != null ? big : join(high, low);
  }

  void set(BigInteger value) {
    if (value.bitLength() < 128) {
      big = null;
      low = value.longValue();
      high = value.shiftRight(64).longValue();
    } else {
      big = value;
    }
  }

  void set(long value) {
    big = null;
    high = value >> 63;
    low = value;
  }

  void set(long newHigh, long newLow) {
    big = null;
    high = newHigh;
    low = newLow;
  }

  /** Whether it does not fit 128 bits; else it is {@link #high} and {@link #low}. */
  boolean isLarge() {
    return big != null;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  boolean isZero() {
    return big == null ? (high | low) == 0 : big.signum() == 0;
  }

  public boolean fitsLong() {
    return big == null ? high == low >> 63 : big.bitLength() < 64;
  }

  /** The lowest 64 bits: what wrapping arithmetic gives. */
  public long longValue() {
    return big == null ? low : big.longValue();
  }

  /** Multiplies by two to the power of {@code bits}. */
  void shiftLeft(int bits) {
    if (big == null && fitsLong() && bits < 64) {
      high = bits == 0 ? high : low >> (64 - bits);
      low <<= bits;
    } else {
      set(value().shiftLeft(bits));
    }
  }

  /** The 128-bit two's complement number. */
  static BigInteger join(long high, long low) {
    BigInteger upper = BigInteger.valueOf(high);
    BigInteger unsigned = BigInteger.valueOf(low & Long.MAX_VALUE);
    return upper.shiftLeft(64).add(low < 0 ? unsigned.setBit(63) : unsigned);
  }

  public void write(ByteWriter out) {
    if (fitsLong()) {
      out.putVarLong(0);
      out.putVarLong(longValue());
    } else {
      byte[] bytes = value().toByteArray();
      out.putVarLong(bytes.length);
      out.putBytes(bytes, 0, bytes.length);
    }
  }

  /** Adds what was written. */
  public void add(ByteReader in) {
    int length = (int) in.getVarLong();
    if (length == 0) {
      add(in.getVarLong(), 1);
    } else {
      add(new BigInteger(in.getBytes(length)));
    }
  }
}
