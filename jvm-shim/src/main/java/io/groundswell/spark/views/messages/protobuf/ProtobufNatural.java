package io.groundswell.spark.views.messages.protobuf;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.orc.protobuf.Descriptors.Descriptor;
import org.apache.orc.protobuf.Descriptors.FieldDescriptor;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/** Which columns a message would make, for people who write them. */
final class ProtobufNatural {
  private final Deque<Descriptor> above = new ArrayDeque<>();

  private ProtobufNatural() {}

  /** A message's fields as DDL, those that no column holds left out. */
  static String columns(Descriptor message) {
    return message.getFields()
        .stream()
        .filter(field -> of(field) != null)
        .map(field -> field.getName() + " " + of(field).sql().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  /** A field's type, and the column that it would need, for messages. */
  static String shown(FieldDescriptor field) {
    String name = field.getType() == FieldDescriptor.Type.MESSAGE && !field.isMapField()
        ? field.getMessageType().getFullName()
        : field.getType().name().toLowerCase(Locale.ROOT);
    String many = field.isMapField() ? "map" : field.isRepeated() ? "repeated " + name : name;
    DataType natural = of(field);
    return many + (natural == null ? ", and no type does" : ": declare it as " + natural.sql());
  }

  private static DataType of(FieldDescriptor field) {
    try {
      return new ProtobufNatural().type(field);
    } catch (IllegalArgumentException none) {
      return null;
    }
  }

  private DataType type(FieldDescriptor field) {
    if (field.isMapField()) {
      List<FieldDescriptor> parts = field.getMessageType().getFields();
      return DataTypes.createMapType(one(parts.get(0)), one(parts.get(1)));
    }
    return field.isRepeated() ? DataTypes.createArrayType(one(field)) : one(field);
  }

  private DataType one(FieldDescriptor field) {
    return switch (field.getType()) {
      case INT32, SINT32, SFIXED32 -> DataTypes.IntegerType;
      case UINT32, FIXED32, INT64, SINT64, SFIXED64 -> DataTypes.LongType;
      case UINT64, FIXED64 -> DataTypes.createDecimalType(20, 0);
      case FLOAT -> DataTypes.FloatType;
      case DOUBLE -> DataTypes.DoubleType;
      case BOOL -> DataTypes.BooleanType;
      case STRING, ENUM -> DataTypes.StringType;
      case BYTES -> DataTypes.BinaryType;
      case MESSAGE, GROUP -> message(field.getMessageType());
    };
  }

  private DataType message(Descriptor message) {
    if (message.getFullName().equals(WellKnown.TIMESTAMP)) {
      return DataTypes.TimestampType;
    }
    if (message.getFullName().equals(WellKnown.DURATION)) {
      return DataTypes.createDayTimeIntervalType();
    }
    if (WellKnown.isWrapper(message)) {
      return one(message.getFields().get(0));
    }
    if (above.contains(message)) {
      throw new IllegalArgumentException("a message within itself");
    }
    if (message.getFields().isEmpty()) {
      throw new IllegalArgumentException("a message without fields");
    }
    above.push(message);
    List<StructField> fields =
        message.getFields()
            .stream()
            .map(each -> DataTypes.createStructField(each.getName(), type(each), true))
            .toList();
    above.pop();
    return DataTypes.createStructType(fields);
  }
}
