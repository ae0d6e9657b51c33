package io.groundswell.spark.views.operator.codec;

import io.groundswell.spark.shims.Scala;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Values of one type, none of them null, as bytes whose unsigned order is Spark's order of the
 * values: equal values have equal bytes, and none is the beginning of another's. NaN is the largest
 * double, -0.0 is 0.0.
 */
public abstract class ValueCodec {
  public abstract void write(SpecializedGetters row, int ordinal, ByteWriter out);

  /** The value, as Spark holds it in a row. */
  public abstract Object read(ByteReader in);

  /** The codec of a type, or null if its values have no order, or not that of bytes. */
  public static ValueCodec of(DataType type) {
    return of(type, 0.0f);
  }

  /** The same, but of equal values those with 0.0 come after those with -0.0. */
  public static ValueCodec signed(DataType type) {
    ValueCodec folded = of(type);
    ValueCodec signed = of(type, -0.0f);
    return folded == null || type instanceof FloatType || type instanceof DoubleType || !folds(type)
        ? signed
        : new SignedCodec(folded, signed);
  }

  /** Whether values that differ, as 0.0 and -0.0, have one encoding. */
  public static boolean folds(DataType type) {
    return type.existsRecursively(
        Scala.function(each -> each instanceof DoubleType || each instanceof FloatType));
  }

  /**
   * As {@link #of(DataType)}.
   *
   * @param zero what is added to numbers; -0.0 changes none
   */
  public static ValueCodec of(DataType type, float zero) {
    if (type instanceof BooleanType || type instanceof ByteType) {
      return new ByteCodec(type instanceof BooleanType);
    } else if (type instanceof ShortType) {
      return new ShortCodec();
    } else if (type instanceof IntegerType || type instanceof DateType
        || type instanceof YearMonthIntervalType) {
      return new IntCodec();
    } else if (type instanceof LongType || type instanceof TimestampType
        || type instanceof TimestampNTZType || type instanceof TimeType
        || type instanceof DayTimeIntervalType) {
      return new LongCodec();
    } else if (type instanceof FloatType) {
      return new FloatCodec(zero);
    } else if (type instanceof DoubleType) {
      return new DoubleCodec(zero);
    } else if (type instanceof DecimalType decimal) {
      return new DecimalCodec(decimal.precision(), decimal.scale());
    } else if (type instanceof StringType string) {
      return string.supportsBinaryOrdering() ? new StringCodec() : null;
    } else if (type instanceof BinaryType) {
      return new BinaryCodec();
    } else if (type instanceof NullType) {
      return new NullCodec();
    }
    return NestedCodec.of(type, zero);
  }

  /** First without the signs of zeros, by which values are compared last. */
  private static final class SignedCodec extends ValueCodec {
    private final ValueCodec folded;
    private final ValueCodec signed;

    SignedCodec(ValueCodec folded, ValueCodec signed) {
      this.folded = folded;
      this.signed = signed;
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      folded.write(row, ordinal, out);
      signed.write(row, ordinal, out);
    }

    @Override
    public Object read(ByteReader in) {
      folded.read(in);
      return signed.read(in);
    }
  }

  private static final class ByteCodec extends ValueCodec {
    private final boolean logical;

    ByteCodec(boolean logical) {
      this.logical = logical;
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      int value = logical ? (row.getBoolean(ordinal) ? 1 : 0) : row.getByte(ordinal);
      out.putByte(value ^ 0x80);
    }

    @Override
    public Object read(ByteReader in) {
      byte value = (byte) (in.getByte() ^ 0x80);
      return logical ? (Object) (value != 0) : (Object) value;
    }
  }

  /** Of a type that has no values. */
  private static final class NullCodec extends ValueCodec {
    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      throw new IllegalStateException("a value of type VOID");
    }

    @Override
    public Object read(ByteReader in) {
      throw new IllegalStateException("a value of type VOID");
    }
  }

  private static final class ShortCodec extends ValueCodec {
    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      int value = row.getShort(ordinal);
      out.putByte((value >> 8) ^ 0x80);
      out.putByte(value);
    }

    @Override
    public Object read(ByteReader in) {
      int high = in.getByte() ^ 0x80;
      return (short) (high << 8 | (in.getByte() & 0xFF));
    }
  }

  private static final class IntCodec extends ValueCodec {
    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      out.putInt(row.getInt(ordinal) ^ Integer.MIN_VALUE);
    }

    @Override
    public Object read(ByteReader in) {
      return in.getInt() ^ Integer.MIN_VALUE;
    }
  }

  private static final class LongCodec extends ValueCodec {
    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      out.putLong(row.getLong(ordinal) ^ Long.MIN_VALUE);
    }

    @Override
    public Object read(ByteReader in) {
      return in.getLong() ^ Long.MIN_VALUE;
    }
  }

  /** Negative numbers with all bits turned around, the others with the sign bit. */
  private static final class FloatCodec extends ValueCodec {
    private final float zero;

    FloatCodec(float zero) {
      this.zero = zero;
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      int bits = Float.floatToIntBits(row.getFloat(ordinal) + zero);
      out.putInt(bits ^ (bits >> 31 | Integer.MIN_VALUE));
    }

    @Override
    public Object read(ByteReader in) {
      int bits = in.getInt();
      return Float.intBitsToFloat(bits ^ (~bits >> 31 | Integer.MIN_VALUE));
    }
  }

  private static final class DoubleCodec extends ValueCodec {
    private final double zero;

    DoubleCodec(double zero) {
      this.zero = zero;
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      long bits = Double.doubleToLongBits(row.getDouble(ordinal) + zero);
      out.putLong(bits ^ (bits >> 63 | Long.MIN_VALUE));
    }

    @Override
    public Object read(ByteReader in) {
      long bits = in.getLong();
      return Double.longBitsToDouble(bits ^ (~bits >> 63 | Long.MIN_VALUE));
    }
  }

  /** The unscaled value: in 8 bytes if it always fits, else in 16. */
  private static final class DecimalCodec extends ValueCodec {
    private final int precision;
    private final int scale;
    private final boolean small;

    DecimalCodec(int precision, int scale) {
      this.precision = precision;
      this.scale = scale;
      this.small = precision <= Decimal.MAX_LONG_DIGITS();
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      Decimal value = row.getDecimal(ordinal, precision, scale);
      if (small) {
        out.putLong(value.toUnscaledLong() ^ Long.MIN_VALUE);
      } else {
        BigInteger unscaled = value.toJavaBigDecimal().unscaledValue();
        out.putLong(unscaled.shiftRight(64).longValue() ^ Long.MIN_VALUE);
        out.putLong(unscaled.longValue());
      }
    }

    @Override
    public Object read(ByteReader in) {
      long high = in.getLong() ^ Long.MIN_VALUE;
      if (small) {
        return Decimal.apply(high, precision, scale);
      }
      BigInteger unscaled = ExactInteger.join(high, in.getLong());
      return Decimal.apply(new BigDecimal(unscaled, scale), precision, scale);
    }
  }

  private static final class StringCodec extends ValueCodec {
    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      BinaryCodec.write(row.getUTF8String(ordinal).getBytes(), out);
    }

    @Override
    public Object read(ByteReader in) {
      return UTF8String.fromBytes(BinaryCodec.bytes(in));
    }
  }

  /** 00 is written as 00 FF; 00 00 ends the value. */
  private static final class BinaryCodec extends ValueCodec {
    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      write(row.getBinary(ordinal), out);
    }

    @Override
    public Object read(ByteReader in) {
      return bytes(in);
    }

    public static void write(byte[] value, ByteWriter out) {
      for (byte each : value) {
        out.putByte(each);
        if (each == 0) {
          out.putByte(0xFF);
        }
      }
      out.putByte(0);
      out.putByte(0);
    }

    static byte[] bytes(ByteReader in) {
      ByteWriter value = new ByteWriter();
      while (true) {
        byte each = in.getByte();
        if (each == 0 && in.getByte() == 0) {
          return value.copy(0);
        }
        value.putByte(each);
      }
    }
  }
}
