package io.groundswell.jdbc;

import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import org.apache.arrow.vector.FieldVector;

/**
 * A column of rows, and how its values become parameters.
 *
 * <p>Dates come as days and times as microseconds since 1970. {@code date_text} and the like go as
 * texts, into columns of texts and for drivers that know no {@code java.time}.
 */
enum Cells {
  BOOLEAN(Types.BOOLEAN),
  INT(Types.INTEGER),
  LONG(Types.BIGINT),
  FLOAT(Types.REAL),
  DOUBLE(Types.DOUBLE),
  DECIMAL(Types.DECIMAL),
  DECIMAL_TEXT(Types.VARCHAR) {
    @Override
    Object of(Object given) {
      return ((BigDecimal) given).toPlainString();
    }
  },
  STRING(Types.VARCHAR) {
    @Override
    Object of(Object given) {
      return given.toString();
    }
  },
  BINARY(Types.VARBINARY),
  DATE(Types.DATE) {
    @Override
    Object of(Object given) {
      return LocalDate.ofEpochDay((Integer) given);
    }
  },
  DATE_TEXT(Types.VARCHAR) {
    @Override
    Object of(Object given) {
      return DATES.format(LocalDate.ofEpochDay((Integer) given));
    }
  },
  TIME(Types.TIMESTAMP) {
    @Override
    Object of(Object given) {
      return local(given);
    }
  },
  TIME_TEXT(Types.VARCHAR) {
    @Override
    Object of(Object given) {
      return TIMES.format(local(given));
    }
  },
  INSTANT(Types.TIMESTAMP_WITH_TIMEZONE) {
    @Override
    Object of(Object given) {
      return local(given).atOffset(ZoneOffset.UTC);
    }
  };

  private static final DateTimeFormatter DATES = new DateTimeFormatterBuilder()
      .appendValue(ChronoField.YEAR, 4, 10, java.time.format.SignStyle.NORMAL)
      .appendPattern("-MM-dd")
      .toFormatter();
  private static final DateTimeFormatter TIMES = new DateTimeFormatterBuilder()
      .append(DATES)
      .appendPattern(" HH:mm:ss.SSSSSS")
      .toFormatter();

  private final int type;

  Cells(int type) {
    this.type = type;
  }

  /** What a driver is given for a value that is not null. */
  Object of(Object given) {
    return given;
  }

  void bind(PreparedStatement statement, int at, FieldVector column, int row) throws SQLException {
    Object given = column.getObject(row);
    if (given == null) {
      statement.setNull(at, type);
      return;
    }
    Object value = of(given);
    switch (this) {
      case BOOLEAN -> statement.setBoolean(at, (Boolean) value);
      case INT -> statement.setInt(at, (Integer) value);
      case LONG -> statement.setLong(at, (Long) value);
      case FLOAT -> statement.setFloat(at, (Float) value);
      case DOUBLE -> statement.setDouble(at, (Double) value);
      case DECIMAL -> statement.setBigDecimal(at, (BigDecimal) value);
      case BINARY -> statement.setBytes(at, (byte[]) value);
      case DATE, TIME, INSTANT -> statement.setObject(at, value);
      default -> statement.setString(at, (String) value);
    }
  }

  private static LocalDateTime local(Object micros) {
    return LocalDateTime.ofInstant(
        Instant.EPOCH.plus((Long) micros, ChronoUnit.MICROS), ZoneOffset.UTC);
  }
}
