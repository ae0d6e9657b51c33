package io.groundswell.spark.views.decode;

import java.math.BigDecimal;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What one text says, until the next is read: numbers as such, strings as places in the text.
 * Read-only; {@link #copy} is a row of its own.
 */
final class DecodedRow extends GenericInternalRow {
  private static final long serialVersionUID = 1L;

  private static final byte ABSENT = 0;
  private static final byte NULL = 1;
  private static final byte VALUE = 2;
  private static final int INT_BITS = 32;

  private final transient Layout layout;
  private final byte[] states;
  private final long[] numbers; // a string: position and length
  private final Object[] objects; // rows inside; arrays, maps, and strings that were unescaped
  private byte[] text;

  DecodedRow(Layout layout) {
    super(new Object[layout.kinds.length]);
    this.layout = layout;
    this.states = new byte[layout.kinds.length];
    this.numbers = new long[states.length];
    this.objects = new Object[states.length];
    for (int i = 0; i < states.length; i++) {
      if (layout.kinds[i] == Kind.STRUCT) {
        objects[i] = new DecodedRow(layout.inner[i]);
      }
    }
  }

  /** Begins another text. */
  void begin(byte[] bytes) {
    text = bytes;
    Arrays.fill(states, ABSENT);
  }

  /** Whether a field has been set since the text began. */
  boolean has(int field) {
    return states[field] != ABSENT;
  }

  void setNull(int field) {
    states[field] = NULL;
  }

  void setNumber(int field, long value) {
    states[field] = VALUE;
    numbers[field] = value;
  }

  void setText(int field, int from, int length) {
    states[field] = VALUE;
    numbers[field] = (long) from << INT_BITS | length;
    objects[field] = null;
  }

  void setObject(int field, Object value) {
    states[field] = VALUE;
    objects[field] = value;
  }

  /** The row of a struct, which becomes the field's value. */
  DecodedRow struct(int field) {
    states[field] = VALUE;
    return (DecodedRow) objects[field];
  }

  @Override
  public boolean isNullAt(int field) {
    return states[field] != VALUE;
  }

  @Override
  public boolean getBoolean(int field) {
    return numbers[field] != 0;
  }

  @Override
  public byte getByte(int field) {
    return (byte) numbers[field];
  }

  @Override
  public short getShort(int field) {
    return (short) numbers[field];
  }

  @Override
  public int getInt(int field) {
    return (int) numbers[field];
  }

  @Override
  public long getLong(int field) {
    return numbers[field];
  }

  @Override
  public float getFloat(int field) {
    return Float.intBitsToFloat((int) numbers[field]);
  }

  @Override
  public double getDouble(int field) {
    return Double.longBitsToDouble(numbers[field]);
  }

  @Override
  public Decimal getDecimal(int field, int precision, int scale) {
    if (isNullAt(field)) {
      return null;
    }
    return precision <= Decimal.MAX_LONG_DIGITS()
        ? Decimal.createUnsafe(numbers[field], precision, scale)
        : Decimal.apply(BigDecimal.valueOf(numbers[field], scale), precision, scale);
  }

  @Override
  public UTF8String getUTF8String(int field) {
    if (isNullAt(field)) {
      return null;
    }
    return objects[field] == null
        ? UTF8String.fromBytes(text, (int) (numbers[field] >>> INT_BITS), (int) numbers[field])
        : (UTF8String) objects[field];
  }

  @Override
  public InternalRow getStruct(int field, int size) {
    return isNullAt(field) ? null : (InternalRow) objects[field];
  }

  @Override
  public ArrayData getArray(int field) {
    return isNullAt(field) ? null : (ArrayData) objects[field];
  }

  @Override
  public MapData getMap(int field) {
    return isNullAt(field) ? null : (MapData) objects[field];
  }

  @Override
  public Object get(int field, DataType type) {
    return genericGet(field);
  }

  @Override
  public Object genericGet(int field) {
    if (isNullAt(field)) {
      return null;
    }
    return switch (layout.kinds[field]) {
      case BOOLEAN -> getBoolean(field);
      case BYTE -> getByte(field);
      case SHORT -> getShort(field);
      case INT, DATE -> getInt(field);
      case LONG, TIMESTAMP, TIMESTAMP_NTZ -> getLong(field);
      case FLOAT -> getFloat(field);
      case DOUBLE -> getDouble(field);
      case DECIMAL -> getDecimal(field, layout.precisions[field], layout.scales[field]);
      case STRING -> getUTF8String(field);
      case STRUCT, ARRAY, MAP -> objects[field];
    };
  }

  /** The value by itself: it does not change with the next text. */
  Object value(int field) {
    Object value = genericGet(field);
    return value instanceof UTF8String string ? string.copy()
        : value instanceof DecodedRow row     ? row.copy()
                                              : value;
  }

  @Override
  public GenericInternalRow copy() {
    Object[] values = new Object[states.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(i);
    }
    return new GenericInternalRow(values);
  }

  @Override
  public void setNullAt(int field) {
    throw new UnsupportedOperationException("a decoded row is read-only");
  }

  @Override
  public void update(int field, Object value) {
    throw new UnsupportedOperationException("a decoded row is read-only");
  }
}
