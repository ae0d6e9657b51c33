package io.groundswell.spark.views.capture.refuse;

import io.groundswell.spark.shims.Scala;
import java.time.ZoneId;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.DateTimeUtils$;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Casts that ask the clock: of constants like {@code 'today'}, which Spark puts the day in the
 * place of; of times of day alone, which become times of the day of the cast. Constants are
 * computed first, then Spark's own parser is asked what they mean.
 *
 * <p>Spark's special values are special in constants alone: in a column {@code 'today'} is an error
 * or null. A time of day in a column of strings is data, and known only when its row comes.
 */
final class ClockCasts {
  private final ZoneId zone;

  /**
   * @param zone the session's
   */
  ClockCasts(ZoneId zone) {
    this.zone = zone;
  }

  boolean asks(Cast cast) {
    DataType from = cast.child().dataType();
    DataType to = cast.dataType();
    return datesTimes(from, to)
        || cast.child().foldable()
        && value(cast.child()).map(value -> asks(value, from, to, true)).orElse(false);
  }

  /** Whether the parser of SQL has put the time in the place of this text: {@code DATE'today'}. */
  boolean asks(Literal literal) {
    DataType type = literal.dataType();
    String text = isDate(type) || isTimestamp(type) ? source(literal.origin()) : "";
    int from = Math.max(text.indexOf('\''), text.indexOf('"')) + 1;
    return from > 0 && from < text.length()
        && asks(UTF8String.fromString(text.substring(from, text.length() - 1)),
            DataTypes.StringType, type, true);
  }

  private static String source(Origin origin) {
    String sql = Scala.optional(origin.sqlText()).map(String::valueOf).orElse("");
    int from = Scala.optional(origin.startIndex()).map(i -> (Integer) i).orElse(0);
    int to = Scala.optional(origin.stopIndex()).map(i -> (Integer) i).orElse(-1);
    return from <= to && to < sql.length() ? sql.substring(from, to + 1) : "";
  }

  /** What a constant is; nothing of one that cannot be computed: Spark's error says so later. */
  static Optional<Object> value(Expression constant) {
    try {
      return Optional.ofNullable(constant.eval(InternalRow.empty()));
    } catch (Exception e) { // Spark's are checked, and Scala does not say so
      return Optional.empty();
    }
  }

  /** Whether a time becomes a timestamp somewhere inside: it has no day of its own. */
  private static boolean datesTimes(DataType from, DataType to) {
    if (from instanceof ArrayType a && to instanceof ArrayType b) {
      return datesTimes(a.elementType(), b.elementType());
    } else if (from instanceof MapType a && to instanceof MapType b) {
      return datesTimes(a.keyType(), b.keyType()) || datesTimes(a.valueType(), b.valueType());
    } else if (from instanceof StructType a && to instanceof StructType b) {
      for (int i = 0; i < a.length(); i++) {
        if (datesTimes(a.apply(i).dataType(), b.apply(i).dataType())) {
          return true;
        }
      }
      return false;
    }
    return from instanceof TimeType && isTimestamp(to);
  }

  /**
   * @param whole whether it is all that is cast: only then Spark takes {@code 'today'} for a day
   */
  private boolean asks(Object value, DataType from, DataType to, boolean whole) {
    if (value instanceof ArrayData array && from instanceof ArrayType a
        && to instanceof ArrayType b) {
      return anyAsks(array, a.elementType(), b.elementType());
    } else if (value instanceof MapData map && from instanceof MapType a
        && to instanceof MapType b) {
      return anyAsks(map.keyArray(), a.keyType(), b.keyType())
          || anyAsks(map.valueArray(), a.valueType(), b.valueType());
    } else if (value instanceof InternalRow row && from instanceof StructType a
        && to instanceof StructType b) {
      for (int i = 0; i < a.length(); i++) {
        DataType field = a.apply(i).dataType();
        if (!row.isNullAt(i) && asks(row.get(i, field), field, b.apply(i).dataType(), false)) {
          return true;
        }
      }
      return false;
    }
    return from instanceof StringType && value instanceof UTF8String text
        && (whole && isSpecial(text.toString(), to) || isTimeOfDay(text, to));
  }

  private boolean anyAsks(ArrayData values, DataType from, DataType to) {
    for (int i = 0; i < values.numElements(); i++) {
      if (!values.isNullAt(i) && asks(values.get(i, from), from, to, false)) {
        return true;
      }
    }
    return false;
  }

  /** The epoch is special, too, but the same for all clocks, and the only one that is zero. */
  private boolean isSpecial(String text, DataType to) {
    scala.Option<Object> time = to instanceof DateType
        ? DateTimeUtils$.MODULE$.convertSpecialDate(text, zone)
        : to instanceof TimestampType ? DateTimeUtils$.MODULE$.convertSpecialTimestamp(text, zone)
        : to instanceof TimestampNTZType
        ? DateTimeUtils$.MODULE$.convertSpecialTimestampNTZ(text, zone)
        : Scala.none();
    return time.isDefined() && ((Number) time.get()).longValue() != 0;
  }

  /** {@code 12:30}: Spark adds the day; not where timestamps have no zone, there it is an error. */
  private boolean isTimeOfDay(UTF8String text, DataType to) {
    return isTimestamp(to) && !(to instanceof TimestampNTZType)
        && DateTimeUtils$.MODULE$.stringToTimestamp(text, zone).isDefined()
        && (Boolean) DateTimeUtils$.MODULE$.parseTimestampString(text)._3();
  }

  private static boolean isDate(DataType type) {
    return type instanceof DateType;
  }

  /** With those of nanoseconds, which only some versions have. */
  private static boolean isTimestamp(DataType type) {
    return type.typeName().startsWith("timestamp");
  }
}
