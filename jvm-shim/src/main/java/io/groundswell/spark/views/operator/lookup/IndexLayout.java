package io.groundswell.spark.views.operator.lookup;

import io.groundswell.spark.views.contract.commits.IndexPlaces;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Where the columns of an indexed row are kept, each once: the index columns, then what else is in
 * the stream key, then the rest. Keys have one zero and one NaN, so floating-point columns are in
 * the rest as well, and taken from there.
 */
public final class IndexLayout implements Serializable {
  private static final long serialVersionUID = 1L;

  private final List<Column> columns;
  private final int[] index;
  private final int[] streamKey;
  private final int[] rest;
  private final List<Column> stored;
  private final int[] places;

  /**
   * @param columns of the rows as people know them
   * @param index positions of the index columns
   * @param key positions of the stream key
   */
  public IndexLayout(List<Column> columns, int[] index, int[] key) {
    this.columns = List.copyOf(columns);
    this.index = index;
    this.streamKey =
        IntStream.of(key).filter(at -> IntStream.of(index).noneMatch(i -> i == at)).toArray();
    this.places = new int[columns.size()];
    List<Column> all = new ArrayList<>();
    Arrays.fill(places, -1);
    place(index, all);
    place(streamKey, all);
    this.rest = IntStream.range(0, places.length).filter(at -> places[at] < 0).toArray();
    place(rest, all);
    this.stored = List.copyOf(all);
  }

  /** Of an index whose rows have this schema. */
  public static IndexLayout of(StructType schema, IndexPlaces places) {
    List<Column> columns = new ArrayList<>();
    for (StructField field : schema.fields()) {
      columns.add(new Column(field.name(), field.name(), field.dataType(), field.nullable()));
    }
    return new IndexLayout(columns, ints(places.index()), ints(places.key()));
  }

  private static int[] ints(List<Integer> positions) {
    return positions.stream().mapToInt(Integer::intValue).toArray();
  }

  private void place(int[] positions, List<Column> all) {
    for (int at : positions) {
      if (all.size() >= index.length + streamKey.length || isExact(columns.get(at).type())) {
        places[at] = all.size();
      }
      all.add(columns.get(at));
    }
  }

  /** Whether equal values have equal bytes, parts of structs included. */
  private static boolean isExact(DataType type) {
    return !type.existsRecursively(
        part -> part.equals(DataTypes.FloatType) || part.equals(DataTypes.DoubleType));
  }

  List<Column> columns() {
    return columns;
  }

  int[] index() {
    return index;
  }

  /** Positions of what else is in the stream key: it tells rows of one index key apart. */
  int[] streamKey() {
    return streamKey;
  }

  int restSize() {
    return rest.length;
  }

  /** The columns that are stored with the keys. */
  UnsafeProjection rest(Projections code) {
    return code.select(columns, rest);
  }

  /** Selects columns, by their positions in {@link #columns}, of a row as it is stored. */
  UnsafeProjection select(Projections code, int[] wanted) {
    return code.select(stored, IntStream.of(wanted).map(at -> places[at]).toArray());
  }

  /** As {@link #select}, as a key. */
  UnsafeProjection key(Projections code, int[] wanted) {
    return code.key(stored, IntStream.of(wanted).map(at -> places[at]).toArray());
  }
}
