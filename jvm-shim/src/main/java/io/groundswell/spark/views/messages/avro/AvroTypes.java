package io.groundswell.spark.views.messages.avro;

import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.messages.spi.Numbers;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.spark.views.messages.spi.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** Avro's logical types, and those by which Kafka Connect and Debezium name a schema. */
final class AvroTypes {
  private static final String DEBEZIUM = "io.debezium.time.";
  private static final String VARIABLE = "io.debezium.data.VariableScaleDecimal";

  /** Names of Connect that say the same as a logical type. */
  private static final Map<String, String> NAMES = Map.ofEntries(
      Map.entry(DEBEZIUM + "Date", "date"), Map.entry(DEBEZIUM + "Time", "time-millis"),
      Map.entry(DEBEZIUM + "MicroTime", "time-micros"),
      Map.entry(DEBEZIUM + "NanoTime", "time-nanos"),
      Map.entry(DEBEZIUM + "Timestamp", "timestamp-millis"),
      Map.entry(DEBEZIUM + "MicroTimestamp", "timestamp-micros"),
      Map.entry(DEBEZIUM + "NanoTimestamp", "timestamp-nanos"),
      Map.entry(DEBEZIUM + "ZonedTimestamp", "zoned-timestamp"),
      Map.entry(DEBEZIUM + "MicroDuration", "duration-micros"), Map.entry(VARIABLE, VARIABLE));

  private static final Set<String> MEANT = Set.of("decimal", "big-decimal", "date", "time-millis",
      "time-micros", "time-nanos", "timestamp-millis", "timestamp-micros", "timestamp-nanos",
      "local-timestamp-millis", "local-timestamp-micros", "local-timestamp-nanos", "uuid",
      "zoned-timestamp", "duration-micros", VARIABLE);

  private AvroTypes() {}

  private static String name(Schema schema) {
    LogicalType logical = schema.getLogicalType();
    String connect = schema.getProp("connect.name");
    return logical != null ? logical.getName()
        : connect != null  ? NAMES.getOrDefault(connect, "")
                           : "";
  }

  /** Whether a schema's values are more than its plain type says. */
  static boolean isMeant(Schema schema) {
    return MEANT.contains(name(schema));
  }

  /** Values of a logical type in a column; null: the column does not hold them. */
  static Value logical(Schema schema, DataType type) {
    String name = name(schema);
    return switch (name) {
      case "decimal" -> decimal((LogicalTypes.Decimal) schema.getLogicalType(), type);
      case "big-decimal" -> type instanceof DecimalType of ? datum -> big(datum, of) : null;
      case VARIABLE -> type instanceof DecimalType of ? datum -> variable(datum, of) : null;
      case "date" -> type instanceof DateType of ? Numbers.day(of) : null;
      case "time-millis" -> timeOfDay(1_000_000, type);
      case "time-micros" -> timeOfDay(1_000, type);
      case "time-nanos" -> timeOfDay(1, type);
      case "timestamp-millis", "timestamp-micros", "timestamp-nanos" -> timestamp(name, type);
      case "local-timestamp-millis", "local-timestamp-micros", "local-timestamp-nanos" ->
        type instanceof TimestampNTZType ? timestamp(name.substring("local-".length()), type)
                                         : null;
      case "zoned-timestamp" -> type instanceof TimestampType ? AvroTypes::instant : null;
      case "duration-micros" -> type instanceof DayTimeIntervalType ? datum -> datum : null;
      case "uuid" -> type.equals(DataTypes.StringType) ? AvroTypes::uuid : null;
      default -> null;
    };
  }

  private static Value decimal(LogicalTypes.Decimal logical, DataType type) {
    return type instanceof DecimalType of ? datum
        -> Numbers.decimal(
            new BigDecimal(new BigInteger(AvroValues.bytes(datum)), logical.getScale()), of)
                                          : null;
  }

  /** Bytes of a length and an unscaled value, and the scale. */
  private static Object big(Object datum, DecimalType type) {
    BoundedDecoder bytes = new BoundedDecoder(AvroValues.bytes(datum), 0);
    try {
      ByteBuffer digits = bytes.readBytes(null);
      return Numbers.decimal(new BigDecimal(new BigInteger(digits.array()), bytes.readInt()), type);
    } catch (java.io.IOException | NumberFormatException e) {
      throw new Unreadable("its bytes are no decimal", e);
    }
  }

  private static Object variable(Object datum, DecimalType type) {
    IndexedRecord record = (IndexedRecord) datum;
    Object scale = record.get(record.getSchema().getField("scale").pos());
    Object digits = record.get(record.getSchema().getField("value").pos());
    return Numbers.decimal(
        new BigDecimal(new BigInteger(AvroValues.bytes(digits)), (Integer) scale), type);
  }

  private static Value timeOfDay(long nanos, DataType type) {
    return type instanceof TimeType of ? Numbers.timeOfDay(nanos, of) : null;
  }

  private static Value timestamp(String name, DataType type) {
    if (!(type instanceof TimestampType || type instanceof TimestampNTZType)) {
      return null;
    }
    return switch (name) {
      case "timestamp-millis" -> Numbers.micros(Numbers.MILLIS, type);
      case "timestamp-micros" -> Numbers.micros(Numbers.MICROS, type);
      default -> Numbers.ofNanos();
    };
  }

  /** A text with its zone. */
  private static Object instant(Object datum) {
    UTF8String text = AvroValues.text(datum);
    Optional<Object> micros = Scala.optional(DateTimeUtils.stringToTimestamp(text, ZoneOffset.UTC));
    return Numbers.micros(Numbers.MICROS, DataTypes.TimestampType)
        .of(micros.orElseThrow(() -> Numbers.unheld(text, DataTypes.TimestampType)));
  }

  private static Object uuid(Object datum) {
    if (datum instanceof CharSequence) {
      return AvroValues.text(datum);
    }
    ByteBuffer bytes = ByteBuffer.wrap(AvroValues.bytes(datum));
    return UTF8String.fromString(new UUID(bytes.getLong(), bytes.getLong()).toString());
  }

  /** The schema that holds the numbers of several; null: they are not all whole, or all not. */
  static Schema wider(List<Schema> types) {
    if (types.stream().anyMatch(AvroTypes::isMeant)) {
      return null;
    }
    List<Schema.Type> kinds = types.stream().map(Schema::getType).toList();
    for (Schema.Type[] pair : new Schema.Type[][] {
             {Schema.Type.INT, Schema.Type.LONG}, {Schema.Type.FLOAT, Schema.Type.DOUBLE}}) {
      if (Set.of(pair).containsAll(kinds)) {
        return Schema.create(pair[1]);
      }
    }
    return null;
  }

  /** The type that a column should have; null: none holds such values. */
  static DataType natural(Schema schema) {
    return AvroNatural.of(schema);
  }

  /** A schema's type, and the column that it would need, for messages. */
  static String shown(Schema schema) {
    DataType natural = natural(schema);
    String logical = isMeant(schema) ? " (" + name(schema) + ")" : "";
    return AvroColumns.shown(schema) + logical
        + (natural == null ? ", and no type does" : ": declare it as " + natural.sql());
  }
}
