package io.groundswell.spark.views.messages.avro;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/** Which columns a schema would make, for people who write them. */
public final class AvroNatural {
  private static final List<String> WHOLE_TYPES = List.of("decimal(38,18)", "date", "time(3)",
      "time(6)", "time(6)", "timestamp", "timestamp_ntz", "interval day to second");
  private final Set<Schema> above = new HashSet<>();

  private AvroNatural() {}

  static DataType of(Schema schema) {
    try {
      return new AvroNatural().type(schema);
    } catch (IllegalArgumentException none) {
      return null;
    }
  }

  /** A record's fields as DDL, those that no column holds left out; of others one column. */
  static String columns(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD) {
      DataType type = of(schema);
      return type == null ? "" : "value " + type.sql();
    }
    return schema.getFields()
        .stream()
        .filter(field -> of(field.schema()) != null)
        .map(field -> field.name() + " " + of(field.schema()).sql().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  private DataType type(Schema schema) {
    if (AvroTypes.isMeant(schema)) {
      return logical(schema);
    }
    return switch (schema.getType()) {
      case UNION -> union(schema);
      case RECORD -> record (schema);
      case ARRAY -> DataTypes.createArrayType(type(schema.getElementType()));
      case MAP -> DataTypes.createMapType(DataTypes.StringType, type(schema.getValueType()));
      case INT -> DataTypes.IntegerType;
      case LONG -> DataTypes.LongType;
      case FLOAT -> DataTypes.FloatType;
      case DOUBLE -> DataTypes.DoubleType;
      case BOOLEAN -> DataTypes.BooleanType;
      case STRING, ENUM -> DataTypes.StringType;
      case BYTES, FIXED -> DataTypes.BinaryType;
      case NULL -> throw new IllegalArgumentException("no column holds nothing");
    };
  }

  private DataType record(Schema schema) {
    if (!above.add(schema)) {
      throw new IllegalArgumentException("a record within itself");
    }
    List<StructField> fields =
        schema.getFields()
            .stream()
            .map(each -> DataTypes.createStructField(each.name(), type(each.schema()), true))
            .toList();
    above.remove(schema);
    return DataTypes.createStructType(fields);
  }

  private DataType union(Schema schema) {
    List<Schema> others = AvroColumns.others(schema);
    Schema wider = AvroTypes.wider(others);
    if (others.size() == 1 || wider != null) {
      return type(others.size() == 1 ? others.get(0) : wider);
    }
    return DataTypes.createStructType(IntStream.range(0, others.size())
            .mapToObj(i -> DataTypes.createStructField("member" + i, type(others.get(i)), true))
            .toList());
  }

  private static DataType logical(Schema schema) {
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      if (decimal.getPrecision() > 38) {
        throw new IllegalArgumentException("a decimal of more than 38 digits");
      }
      return DataTypes.createDecimalType(decimal.getPrecision(), decimal.getScale());
    }
    return WHOLE_TYPES.stream()
        .map(DataType::fromDDL)
        .filter(type -> AvroTypes.logical(schema, type) != null)
        .findFirst()
        .orElse(DataTypes.StringType);
  }
}
