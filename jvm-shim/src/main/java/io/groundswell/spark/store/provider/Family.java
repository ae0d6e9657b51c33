package io.groundswell.spark.store.provider;

import io.groundswell.engine.Slice;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.store.encoding.KeyCodec;
import io.groundswell.spark.store.encoding.RowReader;
import io.groundswell.spark.store.encoding.ValueList;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** One column family as one store sees it: its table, and codecs that only this store uses. */
final class Family {
  final FamilySpec spec;
  final TableSpec table;
  final KeyCodec keys;
  final RowReader rows;

  /** Whether a value is a list: there are many, or its schema may change. */
  final boolean lists;

  /** Where the tails of long lists are; null as long as there is none. */
  TableSpec segments;

  private Family(
      FamilySpec spec, StoreContext context, KeyCodec keys, Function<String, TableSpec> tables) {
    this.spec = spec;
    this.table = tables.apply(spec.name());
    this.segments = tables.apply(ListReads.tableOf(spec.name()));
    this.keys = keys;
    this.rows = context.rowReader(spec);
    this.lists = spec.multiple() || context.evolves();
  }

  /** The family over tables that are found by name; its own may be null where it has no rows. */
  static Family of(
      FamilySpec spec, StoreContext context, KeyCodec keys, Function<String, TableSpec> tables) {
    return new Family(spec, context, keys, tables);
  }

  /** The row that a plain get or scan shows: of many values the first. */
  UnsafeRow value(Slice encoded) {
    return lists ? ValueList.first(encoded, rows)
                 : rows.read(encoded.bytes, encoded.offset, encoded.length, 0);
  }

  void requireMultiple(String operation) {
    if (!spec.multiple()) {
      throw new IllegalStateException(
          operation + " needs a family with many values a key, and " + spec.name() + " has one");
    }
  }

  void requirePrefix() {
    if (!keys.scansPrefix()) {
      throw new IllegalArgumentException(
          "requirement failed: Prefix scan requires setting prefix key! Family " + spec.name()
          + " was declared with " + spec.key().getClass().getSimpleName());
    }
  }

  void requireRange() {
    if (!keys.scansRange()) {
      throw new IllegalArgumentException(
          "requirement failed: Range scan requires a range scan encoder! Family " + spec.name()
          + " was declared with " + spec.key().getClass().getSimpleName());
    }
  }
}
