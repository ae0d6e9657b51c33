package io.groundswell.spark.operator;

import java.math.BigInteger;

/**
 * The exact sum of doubles: {@code m × 2^e} with an integer of any size, and how many of the
 * summands were NaN or infinite. So a value that is taken away leaves no trace, in any order:
 * (1e16 + 1) - 1e16 is 1, and an infinity that leaves is gone. Not thread-safe.
 */
final class ExactDouble {
  /** So that a double's 53 bits, shifted, still fit 127. */
  private static final int MAX_SHIFT = 73;

  private final ExactInteger mantissa = new ExactInteger();
  private int exponent;
  private long nans;
  private long positives;
  private long negatives;

  /** Adds the value if the weight is positive, else takes it away. */
  void add(double value, int weight) {
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

  private void addFinite(double value, int sign) {
    long bits = Double.doubleToRawLongBits(value);
    int biased = (int) (bits >>> 52) & 0x7FF;
    long fraction = bits & 0xFFFFFFFFFFFFFL;
    long m = biased == 0 ? fraction : fraction | 1L << 52;
    int e = Math.max(biased, 1) - 1075;
    int zeros = Long.numberOfTrailingZeros(m);
    m >>>= zeros;
    e += zeros;
    m = (bits < 0) == (sign < 0) ? m : -m;
    if (mantissa.isZero()) {
      mantissa.set(m);
      exponent = e;
      return;
    }
    if (e < exponent) {
      mantissa.shiftLeft(exponent - e);
      exponent = e;
    }
    int shift = e - exponent;
    if (shift == 0) {
      mantissa.add(m, 1);
    } else if (shift <= MAX_SHIFT) {
      long high = shift < 64 ? m >> (64 - shift) : m << (shift - 64);
      long low = shift < 64 ? m << shift : 0;
      mantissa.add(high, low);
    } else {
      mantissa.add(BigInteger.valueOf(m).shiftLeft(shift));
    }
  }

  /** The sum, rounded once, to the nearest double. */
  double value() {
    if (nans > 0 || (positives > 0 && negatives > 0)) {
      return Double.NaN;
    }
    if (positives > 0 || negatives > 0) {
      return positives > 0 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }
    if (mantissa.fitsLong()) {
      return Math.scalb((double) mantissa.longValue(), exponent);
    }
    BigInteger sum = mantissa.value();
    BigInteger magnitude = sum.abs();
    int dropped = magnitude.bitLength() - 62;
    long top = magnitude.shiftRight(dropped).longValue();
    if (magnitude.getLowestSetBit() < dropped) {
      top |= 1; // not a tie
    }
    return Math.scalb((double) (sum.signum() < 0 ? -top : top), exponent + dropped);
  }

  void write(ByteWriter out) {
    normalize();
    mantissa.write(out);
    out.putVarLong(exponent);
    boolean finite = (nans | positives | negatives) == 0;
    out.putByte(finite ? 0 : 1);
    if (!finite) {
      out.putVarLong(nans);
      out.putVarLong(positives);
      out.putVarLong(negatives);
    }
  }

  void read(ByteReader in) {
    mantissa.read(in);
    exponent = (int) in.getVarLong();
    if (in.getByte() != 0) {
      nans = in.getVarLong();
      positives = in.getVarLong();
      negatives = in.getVarLong();
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
