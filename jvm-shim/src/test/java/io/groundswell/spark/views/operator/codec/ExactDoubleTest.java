package io.groundswell.spark.views.operator.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.spark.views.operator.Fixture;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactDoubleTest {
  @Test
  void sumsAreThoseOfBigDecimalAndLeaveNoTrace() {
    Random random = new Random(Fixture.seed("ExactDoubleTest"));
    for (int round = 0; round < 300; round++) {
      ExactDouble sum = new ExactDouble();
      List<Double> values = new ArrayList<>();
      BigDecimal expected = BigDecimal.ZERO;
      for (int i = random.nextInt(30); i > 0; i--) {
        double value = value(random);
        values.add(value);
        sum.add(value, 1);
        expected = expected.add(new BigDecimal(value));
        sum = random.nextInt(4) == 0 ? stored(sum) : sum;
        assertEquals(expected.doubleValue(), sum.value());
      }
      for (double value : values) {
        sum.add(value, -1);
      }
      ByteWriter out = new ByteWriter();
      stored(sum).write(out);
      assertEquals(4, out.length, "the state of an empty sum");
      assertEquals(0.0, sum.value());
    }
  }

  private static double value(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextInt(1000) / 100.0;
      case 1 -> Double.MIN_VALUE* random.nextInt(5);
      case 2 -> -Double.MAX_VALUE / (2 + random.nextInt(50));
      case 3 -> Math.scalb(random.nextGaussian(), random.nextInt(400) - 200);
      case 4 -> random.nextLong();
      default -> -random.nextInt(1 << 20);
    };
  }

  private static ExactDouble stored(ExactDouble sum) {
    ByteWriter out = new ByteWriter();
    sum.write(out);
    ByteReader in = new ByteReader();
    in.set(out.copy(0), 0);
    ExactDouble read = new ExactDouble();
    read.add(in);
    return read;
  }

  @Test
  void wholeNumbersAddUpBeyond128Bits() {
    Random random = new Random(Fixture.seed("ExactDoubleTest, whole numbers"));
    for (int round = 0; round < 200; round++) {
      ExactInteger sum = new ExactInteger();
      BigInteger expected = BigInteger.ZERO;
      for (int i = 0; i < 20; i++) {
        if (random.nextBoolean()) {
          long value = random.nextBoolean() ? Long.MIN_VALUE : random.nextLong();
          int weight = random.nextBoolean() ? 1 : -1;
          sum.add(value, weight);
          expected = expected.add(BigInteger.valueOf(value).multiply(BigInteger.valueOf(weight)));
        } else {
          long high = random.nextBoolean() ? Long.MAX_VALUE : random.nextLong();
          long low = random.nextLong();
          sum.add(high, low);
          expected = expected.add(ExactInteger.join(high, low));
        }
        assertEquals(expected, sum.value());
        assertEquals(expected.longValue(), sum.longValue());
        assertEquals(expected.bitLength() < 64, sum.fitsLong());
      }
    }
  }
}
