package io.groundswell.spark.store.encoding;

import io.groundswell.spark.shims.ValueKind;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Murmur3HashFunction;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * The hash that Spark's {@code HashPartitioning} distributes rows by: {@code Murmur3Hash} with seed
 * 42 over some columns. The usual types are hashed from the row's own bytes; the rest goes through
 * Spark's interpreted function.
 */
public final class PartitionHash {
  private static final int SEED = 42;

  private final int fields;
  private final int[] ordinals;
  private final DataType[] types;
  private final ValueKind[] kinds;
  private final PartitionHash[] nested;

  private PartitionHash(StructType schema, int[][] paths) {
    this.fields = schema.length();
    this.ordinals = Stream.of(paths).mapToInt(path -> path[0]).toArray();
    this.types = new DataType[ordinals.length];
    this.kinds = new ValueKind[ordinals.length];
    this.nested = new PartitionHash[ordinals.length];
    for (int i = 0; i < ordinals.length; i++) {
      types[i] = schema.fields()[ordinals[i]].dataType();
      kinds[i] = kindOf(types[i]);
      if (types[i] instanceof StructType struct) {
        nested[i] = paths[i].length == 1
            ? first(struct, struct.length())
            : at(struct, new int[][] {Arrays.copyOfRange(paths[i], 1, paths[i].length)});
      }
    }
  }

  /** Over the columns at these positions, in this order. */
  public static PartitionHash over(StructType schema, int... ordinals) {
    return at(schema, IntStream.of(ordinals).mapToObj(i -> new int[] {i}).toArray(int[][] ::new));
  }

  /** Over columns that may stand in structs: of each the positions on the way to it. */
  public static PartitionHash at(StructType schema, int[][] paths) {
    return new PartitionHash(schema, paths);
  }

  /** Over the first {@code count} columns. */
  public static PartitionHash first(StructType schema, int count) {
    return over(schema, IntStream.range(0, count).toArray());
  }

  public int of(UnsafeRow row) {
    return of(row, SEED);
  }

  private int of(UnsafeRow row, int seed) {
    int hash = seed;
    for (int i = 0; i < ordinals.length; i++) {
      int ordinal = ordinals[i];
      if (!row.isNullAt(ordinal)) {
        hash = column(row, i, ordinal, hash);
      }
    }
    return hash;
  }

  private int column(UnsafeRow row, int i, int ordinal, int hash) {
    return switch (kinds[i]) {
      case BOOLEAN -> Murmur3_x86_32.hashInt(row.getBoolean(ordinal) ? 1 : 0, hash);
      case BYTE -> Murmur3_x86_32.hashInt(row.getByte(ordinal), hash);
      case SHORT -> Murmur3_x86_32.hashInt(row.getShort(ordinal), hash);
      case INT -> Murmur3_x86_32.hashInt(row.getInt(ordinal), hash);
      case LONG -> Murmur3_x86_32.hashLong(row.getLong(ordinal), hash);
      case STRING, BINARY -> {
        long word = row.getLong(ordinal);
        long offset = row.getBaseOffset() + (word >>> 32);
        yield Murmur3_x86_32.hashUnsafeBytes(row.getBaseObject(), offset, (int) word, hash);
      }
      case STRUCT -> nested[i].of(row.getStruct(ordinal, nested[i].fields), hash);
      case FLOAT, DOUBLE, DECIMAL, OTHER ->
        (int) Murmur3HashFunction.hash(row.get(ordinal, types[i]), types[i], hash);
    };
  }

  /** Strings whose equality is not that of their bytes are hashed by their collation. */
  private static ValueKind kindOf(DataType type) {
    ValueKind kind = ValueKind.of(type);
    return kind == ValueKind.STRING && !isBinaryString(type) ? ValueKind.OTHER : kind;
  }

  private static boolean isBinaryString(DataType type) {
    return type instanceof StringType string && string.supportsBinaryEquality();
  }
}
