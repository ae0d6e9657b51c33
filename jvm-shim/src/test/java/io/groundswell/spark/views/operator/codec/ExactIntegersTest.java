package io.groundswell.spark.views.operator.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.spark.views.operator.Fixture;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactIntegersTest {
  private static final int SIZE = 20;

  /** Sums that leave the small numbers, 64 bits and 128 bits, and come back. */
  @Test
  void numbersAddUpSideBySide() {
    Random random = new Random(Fixture.seed("ExactIntegersTest"));
    ExactIntegers sums = new ExactIntegers();
    BigInteger[] expected = new BigInteger[SIZE];
    Arrays.fill(expected, BigInteger.ZERO);
    sums.reserve(SIZE / 2);
    for (int i = 0; i < 20_000; i++) {
      if (i == 1000) {
        sums.reserve(SIZE);
      }
      int at = random.nextInt(i < 1000 ? SIZE / 2 : SIZE);
      switch (random.nextInt(4)) {
        case 0 -> {
          BigInteger large = new BigInteger(140, random).negate();
          large = expected[at].bitLength() > 100 ? expected[at].negate() : large;
          add(sums, at, large);
          expected[at] = expected[at].add(large);
        }
        case 1 -> {
          if (random.nextInt(10) == 0) {
            sums.clear(at);
            expected[at] = BigInteger.ZERO;
          }
        }
        default -> {
          long value = random.nextBoolean() ? random.nextInt(10) : random.nextLong();
          int weight = random.nextBoolean() ? 1 : -1;
          sums.add(at, value, weight);
          expected[at] =
              expected[at].add(BigInteger.valueOf(value).multiply(BigInteger.valueOf(weight)));
        }
      }
      assertEquals(expected[at], sums.get(at).value());
    }
    for (int at = 0; at < SIZE; at++) {
      assertEquals(expected[at], sums.get(at).value());
    }
  }

  private static void add(ExactIntegers sums, int at, BigInteger value) {
    ExactInteger sum = sums.get(at);
    sum.add(value);
    sums.set(at, sum);
  }
}
