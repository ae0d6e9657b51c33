package io.groundswell.spark.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Generated code that copies columns by position. What it makes is not thread-safe. */
final class Projections {
  /** The seed of {@code HashPartitioning}. */
  private static final int SEED = 42;

  private Projections() {}

  static int[] all(int count) {
    return IntStream.range(0, count).toArray();
  }

  static DataType[] types(List<Column> columns, int[] positions) {
    return IntStream.of(positions).mapToObj(p -> columns.get(p).type()).toArray(DataType[]::new);
  }

  /** These columns, as they are. */
  static UnsafeProjection select(List<Column> columns, int[] positions) {
    return create(references(columns, positions));
  }

  /**
   * These columns as a key: equal values have equal bytes, so NaN is one value and -0.0 is 0.0. A
   * key of no columns is one constant byte, so that no key is empty.
   */
  static UnsafeProjection key(List<Column> columns, int[] positions) {
    List<Expression> parts = new ArrayList<>();
    for (Expression column : references(columns, positions)) {
      parts.add(NormalizeFloatingNumbers$.MODULE$.normalize(column));
    }
    if (parts.isEmpty()) {
      parts.add(Literal.create((byte) 0, DataTypes.ByteType));
    }
    return create(parts);
  }

  /** One int: the hash that {@code HashPartitioning} takes over a row's first columns. */
  static UnsafeProjection hash(DataType[] types) {
    List<Expression> columns = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      columns.add(new BoundReference(i, types[i], true));
    }
    return create(List.of(new Murmur3Hash(seq(columns), SEED)));
  }

  /** Rows of these types, whatever class the rows given are of. */
  static UnsafeProjection rows(DataType[] types) {
    return UnsafeProjection.create(types);
  }

  /** Puts two rows side by side. */
  static UnsafeRowJoiner joiner(DataType[] left, DataType[] right) {
    return GenerateUnsafeRowJoiner.create(struct(left), struct(right));
  }

  private static StructType struct(DataType[] types) {
    StructType struct = new StructType();
    for (int i = 0; i < types.length; i++) {
      struct = struct.add("c" + i, types[i]);
    }
    return struct;
  }

  private static List<Expression> references(List<Column> columns, int[] positions) {
    List<Expression> references = new ArrayList<>();
    for (int position : positions) {
      references.add(new BoundReference(position, columns.get(position).type(), true));
    }
    return references;
  }

  private static UnsafeProjection create(List<Expression> expressions) {
    return UnsafeProjection.create(seq(expressions));
  }

  private static Seq<Expression> seq(List<Expression> expressions) {
    return CollectionConverters.asScala(expressions).toSeq();
  }
}
