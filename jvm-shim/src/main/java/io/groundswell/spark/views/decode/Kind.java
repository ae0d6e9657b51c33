package io.groundswell.spark.views.decode;

import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/** How values of a type are read and held. */
enum Kind {
  BOOLEAN,
  BYTE,
  SHORT,
  INT,
  LONG,
  FLOAT,
  DOUBLE,
  DECIMAL,
  STRING,
  DATE,
  TIMESTAMP,
  TIMESTAMP_NTZ,
  STRUCT,
  ARRAY,
  MAP;

  /** The kind of a type; empty if values of this type are left to Spark. */
  static Optional<Kind> of(DataType type) {
    if (type instanceof StructType) {
      return Optional.of(STRUCT);
    } else if (type instanceof ArrayType) {
      return Optional.of(ARRAY);
    } else if (type instanceof MapType) {
      return Optional.of(MAP);
    } else if (type instanceof DecimalType) {
      return Optional.of(DECIMAL);
    }
    return Optional.ofNullable(type.equals(DataTypes.BooleanType) ? BOOLEAN
            : type.equals(DataTypes.ByteType)                     ? BYTE
            : type.equals(DataTypes.ShortType)                    ? SHORT
            : type.equals(DataTypes.IntegerType)                  ? INT
            : type.equals(DataTypes.LongType)                     ? LONG
            : type.equals(DataTypes.FloatType)                    ? FLOAT
            : type.equals(DataTypes.DoubleType)                   ? DOUBLE
            : type.equals(DataTypes.StringType)                   ? STRING
            : type.equals(DataTypes.DateType)                     ? DATE
            : type.equals(DataTypes.TimestampType)                ? TIMESTAMP
            : type.equals(DataTypes.TimestampNTZType)             ? TIMESTAMP_NTZ
                                                                  : null);
  }
}
