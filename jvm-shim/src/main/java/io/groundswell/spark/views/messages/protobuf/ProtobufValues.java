package io.groundswell.spark.views.messages.protobuf;

import io.groundswell.spark.views.messages.spi.Numbers;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.spark.views.messages.spi.Value;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.orc.protobuf.ByteString;
import org.apache.orc.protobuf.Descriptors.Descriptor;
import org.apache.orc.protobuf.Descriptors.EnumValueDescriptor;
import org.apache.orc.protobuf.Descriptors.FieldDescriptor;
import org.apache.orc.protobuf.Message;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Values of Protobuf as Spark's. A field is the writer's with the number that the reader's field of
 * the column's name has; types are compared, so that no number is cut off as it is read.
 */
final class ProtobufValues {
  private ProtobufValues() {}

  /**
   * A message as a struct.
   *
   * @param reader whose fields have the columns' names
   * @param writer of the same message; it may have other fields
   * @param path the column, for messages; empty: all of them
   * @param optional whether the reader may lack columns, which are null then
   * @throws Unreadable if a column has no field, or is of no type that holds it
   */
  static Value message(
      Descriptor reader, Descriptor writer, StructType type, String path, boolean optional) {
    Value[] values = new Value[type.size()];
    for (int i = 0; i < values.length; i++) {
      String name = type.apply(i).name();
      FieldDescriptor field = field(reader, name);
      if (field == null && !optional) {
        throw new Unreadable("it has no field " + name + "; message " + reader.getFullName()
            + " has "
            + String.join(
                ", ", reader.getFields().stream().map(FieldDescriptor::getName).toList()));
      }
      values[i] = field == null ? datum
          -> null
          : field(
                field, writer, type.apply(i).dataType(), path.isEmpty() ? name : path + "." + name);
    }
    return datum -> {
      GenericInternalRow row = new GenericInternalRow(values.length);
      for (int i = 0; i < values.length; i++) {
        row.update(i, values[i].of(datum));
      }
      return row;
    };
  }

  /** By its name, else by its name in other letters. */
  private static FieldDescriptor field(Descriptor message, String name) {
    FieldDescriptor exact = message.findFieldByName(name);
    return exact != null ? exact
                         : message.getFields()
                               .stream()
                               .filter(each -> each.getName().equalsIgnoreCase(name))
                               .findFirst()
                               .orElse(null);
  }

  /** What a message has in a field; its default, or null, where the writer has no such field. */
  private static Value field(
      FieldDescriptor reader, Descriptor writer, DataType type, String path) {
    FieldDescriptor wrote = writer.findFieldByNumber(reader.getNumber());
    if (wrote == null) {
      Object none = reader.isRepeated() || !reader.hasPresence()
          ? value(reader, reader, type, path)
                .of(reader.isRepeated() ? List.of() : reader.getDefaultValue())
          : null;
      return datum -> none;
    }
    if (wrote.isRepeated() != reader.isRepeated()) {
      throw new Unreadable("column " + path + ": its field is repeated in one schema only");
    }
    Value made = value(reader, wrote, type, path);
    boolean present = !wrote.isRepeated() && wrote.hasPresence();
    return datum -> {
      Message message = (Message) datum;
      try {
        return present && !message.hasField(wrote) ? null : made.of(message.getField(wrote));
      } catch (Unreadable e) {
        // The innermost column names itself.
        throw e.getMessage().startsWith("column ")
            ? e
            : new Unreadable("column " + path + ": " + e.getMessage(), e);
      }
    };
  }

  private static Value value(
      FieldDescriptor reader, FieldDescriptor writer, DataType type, String path) {
    Value made = writer.isMapField() ? map(reader, writer, type, path)
        : writer.isRepeated()        ? array(reader, writer, type, path)
                                     : one(reader, writer, type, path);
    if (made == null) {
      throw new Unreadable("column " + path + " is of type " + type.simpleString()
          + ", which does not hold its field's " + ProtobufNatural.shown(writer));
    }
    return made;
  }

  private static Value array(
      FieldDescriptor reader, FieldDescriptor writer, DataType type, String path) {
    if (!(type instanceof ArrayType array)) {
      return null;
    }
    Value item = one(reader, writer, array.elementType(), path + ".element");
    return item == null
        ? null
        : datum -> new GenericArrayData(((List<?>) datum).stream().map(item::of).toArray());
  }

  /** By key; of one key the last entry counts. */
  private static Value map(
      FieldDescriptor reader, FieldDescriptor writer, DataType type, String path) {
    if (!(type instanceof MapType map) || !reader.isMapField()) {
      return null;
    }
    FieldDescriptor key = writer.getMessageType().findFieldByNumber(1);
    FieldDescriptor value = writer.getMessageType().findFieldByNumber(2);
    FieldDescriptor read = reader.getMessageType().findFieldByNumber(2);
    Value keys = one(key, key, map.keyType(), path + ".key");
    Value values = one(read, value, map.valueType(), path + ".value");
    return keys == null || values == null ? null : datum -> {
      Map<Object, Object> sorted = new TreeMap<>();
      for (Object each : (List<?>) datum) {
        Message entry = (Message) each;
        sorted.put(keys.of(entry.getField(key)), values.of(entry.getField(value)));
      }
      return new ArrayBasedMapData(new GenericArrayData(sorted.keySet().toArray()),
          new GenericArrayData(sorted.values().toArray()));
    };
  }

  /** One value of a field; null: the type does not hold it. */
  private static Value one(
      FieldDescriptor reader, FieldDescriptor writer, DataType type, String path) {
    return switch (writer.getType()) {
      case INT32, SINT32, SFIXED32 -> Numbers.whole(type);
      case UINT32, FIXED32 -> unsigned(Numbers.whole(type));
      case INT64, SINT64, SFIXED64 -> type.equals(DataTypes.LongType) ? Numbers.whole(type) : null;
      case UINT64, FIXED64 -> unsignedLong(type);
      case FLOAT -> Numbers.fraction(type);
      case DOUBLE -> type.equals(DataTypes.DoubleType) ? datum -> datum : null;
      case BOOL -> type.equals(DataTypes.BooleanType) ? datum -> datum : null;
      case STRING ->
        type.equals(DataTypes.StringType) ? datum -> UTF8String.fromString((String) datum) : null;
      case BYTES ->
        type.equals(DataTypes.BinaryType) ? datum -> ((ByteString) datum).toByteArray() : null;
      case ENUM -> constant(type);
      case MESSAGE, GROUP -> inner(reader, writer, type, path);
    };
  }

  private static Value unsigned(Value whole) {
    return whole == null ? null : datum -> whole.of(Integer.toUnsignedLong((Integer) datum));
  }

  private static Value unsignedLong(DataType type) {
    if (type instanceof DecimalType of) {
      return datum -> Numbers.decimal(new BigDecimal(Long.toUnsignedString((Long) datum)), of);
    }
    return !type.equals(DataTypes.LongType) ? null : datum -> {
      if ((Long) datum < 0) {
        throw Numbers.unheld(Long.toUnsignedString((Long) datum), type);
      }
      return datum;
    };
  }

  private static Value constant(DataType type) {
    if (type.equals(DataTypes.IntegerType)) {
      return datum -> ((EnumValueDescriptor) datum).getNumber();
    }
    return !type.equals(DataTypes.StringType) ? null : datum -> {
      EnumValueDescriptor found = (EnumValueDescriptor) datum;
      if (found.getIndex() < 0) { // made up by the library for a number that it does not know
        throw new Unreadable(
            found.getNumber() + " is no value of enum " + found.getType().getFullName());
      }
      return UTF8String.fromString(found.getName());
    };
  }

  private static Value inner(
      FieldDescriptor reader, FieldDescriptor writer, DataType type, String path) {
    if (reader.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
      return null;
    }
    Value known = WellKnown.of(writer.getMessageType(), type);
    if (known != null) {
      return known;
    }
    if (WellKnown.isWrapper(writer.getMessageType())) {
      FieldDescriptor value = writer.getMessageType().findFieldByNumber(1);
      Value made = one(value, value, type, path);
      return made == null ? null : datum -> made.of(((Message) datum).getField(value));
    }
    return type instanceof StructType struct
        ? message(reader.getMessageType(), writer.getMessageType(), struct, path, false)
        : null;
  }
}
