package io.groundswell.spark.store.encoding;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Values of one schema as values of a later one, by Avro's rules of schema resolution, which are
 * the changes that Spark lets through: columns are found by name, missing ones are null, others
 * are dropped; int to long, float, double, long to float, double, float to double, string to binary
 * and back.
 */
final class TypePromotion {
  private TypePromotion() {}

  /** The value, null if it is null. Parts of equal type are passed on, not copied. */
  static Object convert(Object value, DataType from, DataType to) {
    if (value == null || from.asNullable().equals(to.asNullable())) {
      return value;
    } else if (from instanceof StructType a && to instanceof StructType b) {
      return struct((InternalRow) value, a, b);
    } else if (from instanceof ArrayType a && to instanceof ArrayType b) {
      return array((ArrayData) value, a.elementType(), b.elementType());
    } else if (from instanceof MapType a && to instanceof MapType b) {
      MapData map = (MapData) value;
      return new ArrayBasedMapData(array(map.keyArray(), a.keyType(), b.keyType()),
          array(map.valueArray(), a.valueType(), b.valueType()));
    } else if (value instanceof Number number) {
      return number(number, from, to);
    } else if (value instanceof UTF8String text && to instanceof BinaryType) {
      return text.getBytes();
    } else if (value instanceof byte[] bytes && to instanceof StringType) {
      return UTF8String.fromBytes(bytes);
    }
    throw impossible(from, to);
  }

  private static InternalRow struct(InternalRow row, StructType from, StructType to) {
    Object[] values = new Object[to.length()];
    for (int i = 0; i < values.length; i++) {
      scala.Option<Object> index = from.getFieldIndex(to.fields()[i].name());
      if (index.isDefined()) {
        int ordinal = (Integer) index.get();
        DataType type = from.fields()[ordinal].dataType();
        Object value = row.isNullAt(ordinal) ? null : row.get(ordinal, type);
        values[i] = convert(value, type, to.fields()[i].dataType());
      }
    }
    return new GenericInternalRow(values);
  }

  private static ArrayData array(ArrayData array, DataType from, DataType to) {
    Object[] values = new Object[array.numElements()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.isNullAt(i) ? null : convert(array.get(i, from), from, to);
    }
    return new GenericArrayData(values);
  }

  private static Object number(Number number, DataType from, DataType to) {
    boolean whole = number instanceof Integer || number instanceof Long;
    if (to instanceof LongType && number instanceof Integer) {
      return number.longValue();
    } else if (to instanceof FloatType && whole) {
      return number.floatValue();
    } else if (to instanceof DoubleType && (whole || number instanceof Float)) {
      return number.doubleValue();
    }
    throw impossible(from, to);
  }

  private static EngineException impossible(DataType from, DataType to) {
    return new EngineException(ErrorCode.INVALID_ARGUMENT,
        "state that was written as " + from.catalogString() + " cannot be read as "
            + to.catalogString());
  }
}
