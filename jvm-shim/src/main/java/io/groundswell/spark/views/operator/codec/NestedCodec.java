package io.groundswell.spark.views.operator.codec;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Structs and arrays as bytes that sort: field by field, nulls first, the shorter array first. */
final class NestedCodec {
  private static final int END = 0;
  private static final int NULL = 1;
  private static final int VALUE = 2;

  private NestedCodec() {}

  /** The codec of a struct or array of ordered types, see {@link ValueCodec#of}; else null. */
  static ValueCodec of(DataType type, float zero) {
    if (type instanceof ArrayType array) {
      ValueCodec element = ValueCodec.of(array.elementType(), zero);
      return element == null ? null : new ArrayCodec(element);
    }
    if (type instanceof StructType struct) {
      List<ValueCodec> fields = new ArrayList<>();
      for (StructField field : struct.fields()) {
        ValueCodec codec = ValueCodec.of(field.dataType(), zero);
        if (codec == null) {
          return null;
        }
        fields.add(codec);
      }
      return new StructCodec(fields);
    }
    return null;
  }

  private static void write(
      ValueCodec codec, SpecializedGetters from, int ordinal, ByteWriter out) {
    if (from.isNullAt(ordinal)) {
      out.putByte(NULL);
    } else {
      out.putByte(VALUE);
      codec.write(from, ordinal, out);
    }
  }

  private static final class StructCodec extends ValueCodec {
    private final List<ValueCodec> fields;

    StructCodec(List<ValueCodec> fields) {
      this.fields = fields;
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      SpecializedGetters struct = row.getStruct(ordinal, fields.size());
      for (int i = 0; i < fields.size(); i++) {
        NestedCodec.write(fields.get(i), struct, i, out);
      }
    }

    @Override
    public Object read(ByteReader in) {
      Object[] values = new Object[fields.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = in.getByte() == VALUE ? fields.get(i).read(in) : null;
      }
      return new GenericInternalRow(values);
    }
  }

  private static final class ArrayCodec extends ValueCodec {
    private final ValueCodec element;

    ArrayCodec(ValueCodec element) {
      this.element = element;
    }

    @Override
    public void write(SpecializedGetters row, int ordinal, ByteWriter out) {
      ArrayData array = row.getArray(ordinal);
      for (int i = 0; i < array.numElements(); i++) {
        NestedCodec.write(element, array, i, out);
      }
      out.putByte(END);
    }

    @Override
    public Object read(ByteReader in) {
      List<Object> values = new ArrayList<>();
      for (byte marker = in.getByte(); marker != END; marker = in.getByte()) {
        values.add(marker == VALUE ? element.read(in) : null);
      }
      return new GenericArrayData(values.toArray());
    }
  }
}
