package io.groundswell.spark.views.messages.avro;

import io.groundswell.spark.views.messages.spi.Unreadable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Takes from a schema what some columns need, with its names, aliases and defaults. A column may be
 * null, so where its field has no default, messages of schemas without that field have null.
 */
final class AvroColumns {
  private final Schema whole;
  private final boolean optional;
  private final Map<Part, Schema> records = new HashMap<>();

  private record Part(Schema schema, DataType type) {}

  /**
   * @param whole all of it, for messages
   * @param optional whether the schema may lack columns
   */
  AvroColumns(Schema whole, boolean optional) {
    this.whole = whole;
    this.optional = optional;
  }

  /**
   * The part of a schema that a type needs, its records' fields in the order of the type's.
   *
   * @throws Unreadable if it lacks a field
   */
  Schema of(Schema schema, DataType type) {
    if (schema.getType() == Schema.Type.UNION) {
      List<Schema> others = others(schema);
      if (others.size() != 1) {
        return schema;
      }
      Schema part = of(others.get(0), type);
      return part == others.get(0)
          ? schema
          : Schema.createUnion(schema.getTypes()
                    .stream()
                    .map(each -> each.getType() == Schema.Type.NULL ? each : part)
                    .toList());
    }
    if (schema.getType() == Schema.Type.RECORD && type instanceof StructType struct) {
      Schema known = records.get(new Part(schema, type));
      return known == null ? record(schema, struct) : known;
    }
    if (schema.getType() == Schema.Type.ARRAY && type instanceof ArrayType array) {
      return Schema.createArray(of(schema.getElementType(), array.elementType()));
    }
    if (schema.getType() == Schema.Type.MAP && type instanceof MapType map) {
      return Schema.createMap(of(schema.getValueType(), map.valueType()));
    }
    return schema;
  }

  /** The schemas of a union that are not null. */
  static List<Schema> others(Schema union) {
    return union.getTypes().stream().filter(each -> each.getType() != Schema.Type.NULL).toList();
  }

  private Schema record(Schema schema, StructType type) {
    boolean top = schema == whole;
    List<Schema.Field> fields = new ArrayList<>();
    for (StructField column : type.fields()) {
      Schema.Field field = field(schema, column.name());
      if (field == null) {
        if (top && optional) {
          continue;
        }
        throw new Unreadable(
            "it has no field " + column.name() + "; " + shown(schema) + " has " + names(schema));
      }
      fields.add(copy(field, of(field.schema(), column.dataType())));
    }
    Schema made = Schema.createRecord(
        schema.getName(), schema.getDoc(), schema.getNamespace(), schema.isError());
    schema.getAliases().forEach(made::addAlias);
    schema.getObjectProps().forEach((name, value) -> {
      if (made.getObjectProp(name) == null) {
        made.addProp(name, value);
      }
    });
    made.setFields(fields);
    records.put(new Part(schema, type), made);
    return made;
  }

  /** A field that messages may lack, for its column may be null. */
  private static Schema.Field copy(Schema.Field field, Schema schema) {
    Schema type = schema;
    Object value = field.defaultVal();
    if (!field.hasDefaultValue()) {
      List<Schema> types = new ArrayList<>(List.of(Schema.create(Schema.Type.NULL)));
      types.addAll(schema.getType() == Schema.Type.UNION ? others(schema)
              : schema.getType() == Schema.Type.NULL     ? List.of()
                                                         : List.of(schema));
      type = types.size() == 1 ? types.get(0) : Schema.createUnion(types);
      value = JsonProperties.NULL_VALUE;
    }
    Schema.Field made = new Schema.Field(field.name(), type, field.doc(), value);
    field.aliases().forEach(made::addAlias);
    return made;
  }

  /** By its name, else by its name in other letters. */
  static Schema.Field field(Schema record, String name) {
    Schema.Field exact = record.getField(name);
    return exact != null ? exact
                         : record.getFields()
                               .stream()
                               .filter(each -> each.name().equalsIgnoreCase(name))
                               .findFirst()
                               .orElse(null);
  }

  private static String names(Schema record) {
    return record.getFields().stream().map(Schema.Field::name).collect(Collectors.joining(", "));
  }

  /** A schema, for messages. */
  static String shown(Schema schema) {
    String kind = schema.getType().getName().toLowerCase(Locale.ROOT);
    return switch (schema.getType()) {
      case RECORD, ENUM, FIXED -> kind + " " + schema.getFullName();
      default -> kind;
    };
  }
}
