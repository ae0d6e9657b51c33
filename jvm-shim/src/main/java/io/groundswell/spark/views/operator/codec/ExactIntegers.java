package io.groundswell.spark.views.operator.codec;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** {@link ExactInteger}s by number, two longs each. Not thread-safe. */
public final class ExactIntegers {
  private final ExactInteger at = new ExactInteger();
  private final Map<Integer, BigInteger> large = new HashMap<>(); // what two longs cannot hold
  private long[] high = {};
  private long[] low = {};

  /** Makes room for numbers below this one; new ones are zero. */
  public void reserve(int size) {
    high = Arrays.copyOf(high, size);
    low = Arrays.copyOf(low, size);
  }

  /** The integer, until the next call; {@link #set} keeps what is done to it. */
  public ExactInteger get(int number) {
    BigInteger big = large.isEmpty() ? null : large.get(number);
    if (big != null) {
      at.set(big);
    } else {
      at.set(high[number], low[number]);
    }
    return at;
  }

  public void set(int number, ExactInteger value) {
    if (value.isLarge()) {
      large.put(number, value.value());
      return;
    }
    if (!large.isEmpty()) {
      large.remove(number);
    }
    high[number] = value.high();
    low[number] = value.low();
  }

  /** Adds the value if the weight is positive, else takes it away. */
  public void add(int number, long value, int weight) {
    long sum = low[number] + (weight > 0 ? value : -value);
    boolean fits = high[number] == 0 && value >= 0 && low[number] >= 0 && sum >= 0;
    if (fits && large.isEmpty()) { // most sums are of small numbers that are not negative
      low[number] = sum;
      return;
    }
    ExactInteger at = get(number);
    at.add(value, weight);
    set(number, at);
  }

  /** Makes the integer zero. */
  public void clear(int number) {
    at.set(0, 0);
    set(number, at);
  }
}
