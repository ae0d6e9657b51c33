package io.groundswell.spark.views.decode;

import java.nio.charset.StandardCharsets;

/** Numbers of JSON that become values without rounding, or as {@code Double.parseDouble} rounds. */
class JsonNumbers extends JsonTokens {
  private static final int MAX_DIGITS = 18; // all such numbers are longs
  private static final long EXACT_IN_DOUBLE = 1L << 53;
  private static final long EXACT_IN_FLOAT = 1L << 24;
  private static final int EXACT_FLOAT_POWER = 10;
  private static final double[] POWERS = new double[MAX_DIGITS + 1];
  private static final long[] TENS = new long[MAX_DIGITS + 1];

  static {
    TENS[0] = 1;
    POWERS[0] = 1;
    for (int i = 1; i <= MAX_DIGITS; i++) {
      TENS[i] = TENS[i - 1] * 10;
      POWERS[i] = TENS[i];
    }
  }

  // Of the number that was read last: its value is unscaled / 10^scale.
  private boolean negative;
  private long unscaled;
  private int scale;
  private boolean integral;

  /** A whole number of at most 18 digits within bounds, as JSON writes it. */
  protected final long integer(long least, long greatest) {
    if (!number() || !integral) {
      throw Unusual.TEXT;
    }
    long value = negative ? -unscaled : unscaled;
    if (value < least || value > greatest) {
      throw Unusual.TEXT;
    }
    return value;
  }

  /**
   * Reads a number; false if it has an exponent or more than 18 digits. Minus zero as a whole
   * number is unusual: it is a zero without a sign for some types, and a text for others.
   */
  private boolean number() {
    negative = peek() == '-';
    if (negative) {
      at++;
    }
    int from = at;
    whole();
    int count = at - from;
    integral = at >= end || bytes[at] != '.';
    scale = 0;
    if (!integral) {
      at++;
      int point = at;
      digits();
      scale = at - point;
      count += scale;
    }
    if (count > MAX_DIGITS || (at < end && (bytes[at] == 'e' || bytes[at] == 'E'))) {
      return false;
    }
    long value = 0;
    for (int i = from; i < at; i++) {
      if (bytes[i] != '.') {
        value = value * 10 + (bytes[i] - '0');
      }
    }
    unscaled = value;
    if (negative && integral && value == 0) {
      throw Unusual.TEXT;
    }
    return true;
  }

  /** Where both operands are exact, their quotient is the nearest double. */
  protected final double decimalDouble() {
    int from = at;
    if (number() && (scale == 0 || unscaled <= EXACT_IN_DOUBLE)) {
      double value = unscaled / POWERS[scale];
      return negative ? -value : value;
    }
    at = from;
    if (skipNumber()) { // a whole number of many digits
      throw Unusual.TEXT;
    }
    return Double.parseDouble(new String(bytes, from, at - from, StandardCharsets.US_ASCII));
  }

  /** As {@link #decimalDouble}; versions of Jackson differ in how they round other numbers. */
  protected final float decimalFloat() {
    if (!number() || unscaled > EXACT_IN_FLOAT || scale > EXACT_FLOAT_POWER) {
      throw Unusual.TEXT;
    }
    float value = unscaled / (float) POWERS[scale];
    return negative ? -value : value;
  }

  /** The unscaled value of a number that needs no rounding; Spark reads strings of it, too. */
  protected final long decimal(int precision, int digitsAfterPoint) {
    boolean quoted = peek() == '"';
    if (quoted) {
      at++;
    }
    long value = plainDecimal(precision, digitsAfterPoint);
    if (quoted) {
      expect('"');
    }
    return value;
  }

  /** The unscaled value of a number that needs no rounding. */
  protected final long plainDecimal(int precision, int digitsAfterPoint) {
    if (!number()) {
      throw Unusual.TEXT;
    }
    int more = digitsAfterPoint - scale;
    if (more < 0 || more > MAX_DIGITS || unscaled > Long.MAX_VALUE / TENS[more]) {
      throw Unusual.TEXT;
    }
    long value = unscaled * TENS[more];
    if (precision <= MAX_DIGITS && value >= TENS[precision]) {
      throw Unusual.TEXT;
    }
    return negative ? -value : value;
  }
}
