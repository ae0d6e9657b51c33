package io.groundswell.spark.views.messages.protobuf;

import io.groundswell.spark.views.messages.spi.Numbers;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.spark.views.messages.spi.Value;
import java.util.Set;
import org.apache.orc.protobuf.Descriptors.Descriptor;
import org.apache.orc.protobuf.Message;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** Messages that Protobuf brings along, and that are single values. */
final class WellKnown {
  static final String TIMESTAMP = "google.protobuf.Timestamp";
  static final String DURATION = "google.protobuf.Duration";
  private static final Set<String> WRAPPERS = Set.of("DoubleValue", "FloatValue", "Int64Value",
      "UInt64Value", "Int32Value", "UInt32Value", "BoolValue", "StringValue", "BytesValue");

  private WellKnown() {}

  /** Whether a message only says that its value may be missing. */
  static boolean isWrapper(Descriptor message) {
    return message.getFile().getPackage().equals("google.protobuf")
        && WRAPPERS.contains(message.getName());
  }

  /** Times and durations; null: it is another message, or the column of another type. */
  static Value of(Descriptor message, DataType type) {
    if (message.getFullName().equals(TIMESTAMP)
        && (type instanceof TimestampType || type instanceof TimestampNTZType)) {
      Value held = Numbers.micros(Numbers.MICROS, type);
      return datum -> held.of(micros((Message) datum));
    }
    return message.getFullName().equals(DURATION) && type instanceof DayTimeIntervalType ? datum
        -> micros((Message) datum)
                                                                                         : null;
  }

  /** Of seconds and nanoseconds, cut to the microsecond before. */
  private static long micros(Message time) {
    Descriptor message = time.getDescriptorForType();
    long seconds = (Long) time.getField(message.findFieldByNumber(1));
    int nanos = (Integer) time.getField(message.findFieldByNumber(2));
    try {
      return Math.addExact(Math.multiplyExact(seconds, 1_000_000L), Math.floorDiv(nanos, 1_000));
    } catch (ArithmeticException e) {
      throw new Unreadable(seconds + " seconds are out of range", e);
    }
  }
}
