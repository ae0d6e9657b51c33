package io.groundswell.spark.views.decode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A struct's schema, compiled: fields are found by the bytes of their names. */
final class Layout {
  private static final int SEED = 17;
  private static final int FACTOR = 31;

  final StructType type;
  final Kind[] kinds;

  /** Of structs; of the elements of arrays and the values of maps, as structs of one field. */
  final Layout[] inner;

  final int[] precisions;
  final int[] scales;
  private final byte[][] names;
  private final int[] table; // of position + 1
  private final int mask;

  /**
   * @param uses fields that are not read are not found
   */
  Layout(StructType type, Uses uses) {
    this.type = type;
    int size = type.length();
    this.kinds = new Kind[size];
    this.inner = new Layout[size];
    this.precisions = new int[size];
    this.scales = new int[size];
    this.names = new byte[size][];
    int slots = Integer.highestOneBit(Math.max(1, size)) << 2;
    this.table = new int[slots];
    this.mask = slots - 1;
    for (int i = 0; i < size; i++) {
      if (uses.of(i) != null) {
        add(i, type.apply(i), uses.of(i));
      }
    }
  }

  private void add(int position, StructField field, Uses uses) {
    DataType data = field.dataType();
    kinds[position] = Kind.of(data).orElseThrow(() -> new IllegalArgumentException(data.sql()));
    if (data instanceof StructType struct) {
      inner[position] = new Layout(struct, uses);
    } else if (data instanceof ArrayType array) {
      inner[position] = of(array.elementType());
    } else if (data instanceof MapType map) {
      inner[position] = of(map.valueType());
    } else if (data instanceof DecimalType decimal) {
      precisions[position] = decimal.precision();
      scales[position] = decimal.scale();
    }
    names[position] = field.name().getBytes(StandardCharsets.UTF_8);
    int hash = SEED;
    for (byte each : names[position]) {
      hash = step(hash, each);
    }
    int slot = spread(hash) & mask;
    while (table[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    table[slot] = position + 1;
  }

  /** The names of those of some fields that are read. */
  byte[][] names(int[] positions) {
    return Arrays.stream(positions)
        .mapToObj(i -> names[i])
        .filter(Objects::nonNull)
        .toArray(byte[][] ::new);
  }

  private static Layout of(DataType element) {
    return new Layout(new StructType().add("element", element), Uses.WHOLE);
  }

  static int seed() {
    return SEED;
  }

  /** The hash of a name, byte by byte. */
  static int step(int hash, byte next) {
    return hash * FACTOR + next;
  }

  private static int spread(int hash) {
    return hash ^ (hash >>> 15);
  }

  /** The position of the field of that name; -1: none that is read. */
  int find(byte[] bytes, int from, int to, int hash) {
    int slot = spread(hash) & mask;
    while (table[slot] != 0) {
      byte[] name = names[table[slot] - 1];
      if (Arrays.equals(name, 0, name.length, bytes, from, to)) {
        return table[slot] - 1;
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }
}
