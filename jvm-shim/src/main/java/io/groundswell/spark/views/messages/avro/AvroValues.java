package io.groundswell.spark.views.messages.avro;

import io.groundswell.spark.views.messages.spi.Numbers;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.spark.views.messages.spi.Value;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Values of Avro as Spark's. */
final class AvroValues {
  private AvroValues() {}

  /**
   * What makes values of a column out of those of its schema.
   *
   * @param path the column, for messages; empty: all of them
   * @throws Unreadable if the column is of no type that holds them
   */
  static Value of(Schema schema, DataType type, String path) {
    Value made = found(schema, type, path);
    if (made == null) {
      throw new Unreadable("column " + path + " is of type " + type.simpleString()
          + ", which does not hold its field's " + AvroTypes.shown(schema));
    }
    return datum -> {
      try {
        return made.of(datum);
      } catch (Unreadable e) {
        // The innermost column names itself.
        throw path.isEmpty() || e.getMessage().startsWith("column ")
            ? e
            : new Unreadable("column " + path + ": " + e.getMessage(), e);
      }
    };
  }

  private static Value found(Schema schema, DataType type, String path) {
    Value logical = AvroTypes.logical(schema, type);
    if (logical != null || AvroTypes.isMeant(schema)) {
      return logical;
    }
    return switch (schema.getType()) {
      case UNION -> union(schema, type, path);
      case RECORD -> type instanceof StructType struct ? record(schema, struct, path) : null;
      case ARRAY -> type instanceof ArrayType array ? array(schema, array, path) : null;
      case MAP -> type instanceof MapType map ? map(schema, map, path) : null;
      case INT -> Numbers.whole(type);
      case LONG -> type.equals(DataTypes.LongType) ? Numbers.whole(type) : null;
      case FLOAT -> Numbers.fraction(type);
      case DOUBLE -> type.equals(DataTypes.DoubleType) ? datum -> datum : null;
      case BOOLEAN -> type.equals(DataTypes.BooleanType) ? datum -> datum : null;
      case STRING, ENUM -> type.equals(DataTypes.StringType) ? AvroValues::text : null;
      case BYTES, FIXED -> type.equals(DataTypes.BinaryType) ? AvroValues::bytes : null;
      case NULL -> datum -> null;
    };
  }

  static UTF8String text(Object datum) {
    return datum instanceof Utf8 utf8
        ? UTF8String.fromBytes(utf8.getBytes(), 0, utf8.getByteLength())
        : UTF8String.fromString(datum.toString());
  }

  static byte[] bytes(Object datum) {
    if (datum instanceof GenericFixed fixed) {
      return fixed.bytes();
    }
    ByteBuffer buffer = ((ByteBuffer) datum).duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /** Of one type and null that type; of whole or of floating numbers the wider; else a struct. */
  private static Value union(Schema schema, DataType type, String path) {
    List<Schema> others = AvroColumns.others(schema);
    if (others.size() == 1) {
      return of(others.get(0), type, path);
    }
    if (others.isEmpty() || AvroTypes.wider(others) != null) {
      return others.isEmpty() ? datum -> null : found(AvroTypes.wider(others), type, path);
    }
    if (!(type instanceof StructType struct) || struct.size() != others.size()) {
      return null;
    }
    Value[] values = new Value[others.size()];
    for (int i = 0; i < values.length; i++) {
      if (!struct.apply(i).name().equalsIgnoreCase("member" + i)) {
        return null;
      }
      values[i] = of(others.get(i), struct.apply(i).dataType(), path + ".member" + i);
    }
    Schema members = Schema.createUnion(others);
    return datum -> {
      int member = GenericData.get().resolveUnion(members, datum);
      GenericInternalRow row = new GenericInternalRow(values.length);
      row.update(member, values[member].of(datum));
      return row;
    };
  }

  private static Value record(Schema schema, StructType type, String path) {
    int[] positions = new int[type.size()];
    Value[] values = new Value[type.size()];
    for (int i = 0; i < values.length; i++) {
      String name = type.apply(i).name();
      Schema.Field field = AvroColumns.field(schema, name);
      positions[i] = field == null ? -1 : field.pos();
      values[i] = field == null
          ? null
          : of(field.schema(), type.apply(i).dataType(), path.isEmpty() ? name : path + "." + name);
    }
    return datum -> {
      IndexedRecord record = (IndexedRecord) datum;
      GenericInternalRow row = new GenericInternalRow(values.length);
      for (int i = 0; i < values.length; i++) {
        row.update(i, positions[i] < 0 ? null : values[i].orNull(record.get(positions[i])));
      }
      return row;
    };
  }

  private static Value array(Schema schema, ArrayType type, String path) {
    Value item = of(schema.getElementType(), type.elementType(), path + ".element");
    return datum -> {
      Collection<?> items = (Collection<?>) datum;
      return new GenericArrayData(items.stream().map(item::orNull).toArray());
    };
  }

  /** By key, since Avro does not say in which order. */
  private static Value map(Schema schema, MapType type, String path) {
    if (!type.keyType().equals(DataTypes.StringType)) {
      return null;
    }
    Value item = of(schema.getValueType(), type.valueType(), path + ".value");
    return datum -> {
      Map<UTF8String, Object> sorted = new TreeMap<>();
      ((Map<?, ?>) datum).forEach((key, value) -> sorted.put(text(key), item.orNull(value)));
      return new ArrayBasedMapData(new GenericArrayData(sorted.keySet().toArray()),
          new GenericArrayData(sorted.values().toArray()));
    };
  }
}
