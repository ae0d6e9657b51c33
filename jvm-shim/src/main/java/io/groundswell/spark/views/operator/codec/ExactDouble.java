package io.groundswell.spark.views.operator.codec;

import java.math.BigInteger;

/**
 * The exact sum of doubles: {@code m × 2^e} with an integer of any size, and how many of the
 * summands were NaN or infinite. So a value that is taken away leaves no trace, in any order:
 * (1e16 + 1) - 1e16 is 1, and an infinity that leaves is gone. Not thread-safe.
 */
public final class ExactDouble {
  /** What fits a 128-bit number with its sign. */
  private static final int MAX_BITS = 127;

  private final ExactInteger mantissa = new ExactInteger();
  private int exponent;
  private long nans;
  private long positives;
  private long negatives;

  /** Adds the value if the weight is positive, else takes it away. */
  public void add(double value, int weight) {
    int sign = weight > 0 ? 1 : -1;
    if (Double.isNaN(value)) {
      nans += sign;
    } else if (Double.isInfinite(value)) {
      if (value > 0) {
        positives += sign;
      } else {
        negatives += sign;
      }
    } else if (value != 0) {
      addFinite(value, sign);
    }
  }

  /** Adds the square of a value; one that is not finite is left to the sum of the values. */
  public void addSquare(double value, int weight) {
    if (value != 0 && Double.isFinite(value)) {
      long m = mantissa(value);
      long high = Math.multiplyHigh(m, m);
      long low = m * m;
      boolean plus = weight > 0;
      addScaled(plus ? high : -high - (low == 0 ? 0 : 1), plus ? low : -low, 2 * exponent(value));
    }
  }

  private void addFinite(double value, int sign) {
    long m = (value < 0) == (sign < 0) ? mantissa(value) : -mantissa(value);
    addScaled(m >> 63, m, exponent(value));
  }

  /**
   * The odd integer that, times two to the power of {@link #exponent}, is the value's magnitude.
   */
  private static long mantissa(double value) {
    long m = significand(value);
    return m >>> Long.numberOfTrailingZeros(m);
  }

  private static int exponent(double value) {
    return Math.max(Math.getExponent(value), Double.MIN_EXPONENT) - 52
        + Long.numberOfTrailingZeros(significand(value));
  }

  private static long significand(double value) {
    long bits = Double.doubleToRawLongBits(value);
    long fraction = bits & 0xFFFFFFFFFFFFFL;
    return (bits >>> 52 & 0x7FF) == 0 ? fraction : fraction | 1L << 52;
  }

  /** Adds a 128-bit number times two to the power of {@code e}. */
  private void addScaled(long high, long low, int e) {
    int shift = align(e);
    if (shift == 0) {
      mantissa.add(high, low);
    } else if (high == low >> 63 && bits(low) + shift <= MAX_BITS) {
      mantissa.add(
          shift < 64 ? low >> (64 - shift) : low << (shift - 64), shift < 64 ? low << shift : 0);
    } else {
      mantissa.add(ExactInteger.join(high, low).shiftLeft(shift));
    }
  }

  private void addScaled(ExactInteger term, int e) {
    if (term.isLarge()) {
      int shift = align(e);
      mantissa.add(term.value().shiftLeft(shift));
    } else {
      addScaled(term.high(), term.low(), e);
    }
  }

  /** Makes the exponent {@code e} at most; gives how much greater {@code e} is. */
  private int align(int e) {
    if (mantissa.isZero()) {
      mantissa.set(0);
      exponent = e;
    } else if (e < exponent) {
      mantissa.shiftLeft(exponent - e);
      exponent = e;
    }
    return e - exponent;
  }

  private static int bits(long value) {
    return Long.SIZE - Long.numberOfLeadingZeros(value ^ value >> 63);
  }

  /** Whether no summand is NaN or infinite. */
  public boolean isFinite() {
    return (nans | positives | negatives) == 0;
  }

  /** The finite part of the sum is {@code mantissa × 2^exponent}. */
  public BigInteger mantissa() {
    return mantissa.value();
  }

  public int exponent() {
    return exponent;
  }

  /** The sum, rounded once, to the nearest double. */
  public double value() {
    if (nans > 0 || (positives > 0 && negatives > 0)) {
      return Double.NaN;
    }
    if (positives > 0 || negatives > 0) {
      return positives > 0 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    if (mantissa.fitsLong()) {
      return Math.scalb((double) mantissa.longValue(), exponent);
    }
    return round(mantissa.value(), exponent);
  }

  /** The double nearest to {@code sum × 2^exponent}. */
  public static double round(BigInteger sum, int exponent) {
    if (sum.bitLength() < 64) {
      return Math.scalb((double) sum.longValue(), exponent);
    }
    BigInteger magnitude = sum.abs();
    int dropped = magnitude.bitLength() - 62;
    long top = magnitude.shiftRight(dropped).longValue();
    if (magnitude.getLowestSetBit() < dropped) {
      top |= 1; // not a tie
    }
    return Math.scalb((double) (sum.signum() < 0 ? -top : top), exponent + dropped);
  }

  public void write(ByteWriter out) {
    normalize();
    mantissa.write(out);
    out.putVarLong(exponent);
    out.putByte(isFinite() ? 0 : 1);
    if (!isFinite()) {
      out.putVarLong(nans);
      out.putVarLong(positives);
      out.putVarLong(negatives);
    }
  }

  /** Adds what was written. */
  public void add(ByteReader in) {
    ExactInteger term = new ExactInteger();
    term.add(in);
    int e = (int) in.getVarLong();
    if (!term.isZero()) {
      addScaled(term, e);
    }
    if (in.getByte() != 0) {
      nans += in.getVarLong();
      positives += in.getVarLong();
      negatives += in.getVarLong();
    }
  }

  /** Equal sums get equal bytes, and sums that have shrunk short ones. */
  private void normalize() {
    if (mantissa.isZero()) {
      exponent = 0;
    } else if (mantissa.fitsLong()) {
      int zeros = Long.numberOfTrailingZeros(mantissa.longValue());
      mantissa.set(mantissa.longValue() >> zeros);
      exponent += zeros;
    } else {
      int zeros = mantissa.value().getLowestSetBit();
      mantissa.set(mantissa.value().shiftRight(zeros));
      exponent += zeros;
    }
  }
}
