package io.groundswell.spark.views.operator.change;

import io.groundswell.spark.views.contract.dataflow.NormalizeSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import scala.math.Ordering;

/**
 * What upserts make of the row kept, if it is not simply the last of them.
 *
 * @param version positions of the version columns, which are compared in this order; maybe none
 * @param names of the columns, as steps name what they leave as it is; empty: they are whole rows
 */
record UpsertRule(Conflict conflict, int[] version, DataType[] types, List<String> names)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  enum Conflict { OVERWRITE, IGNORE, UPDATE_IF_NOT_NULL }

  /**
   * One upsert, or a delete; the row's version counts in both.
   *
   * @param unchanged which columns stay as they are in the row that is there; null: none
   */
  record Step(boolean delete, UnsafeRow row, boolean[] unchanged) {}

  /** Null if the last upsert of a key overwrites what is there. */
  static UpsertRule of(NormalizeSpec spec, Refs refs, List<Column> columns) {
    Conflict conflict = switch (spec.conflict()) {
      case "overwrite" -> Conflict.OVERWRITE;
      case "ignore" -> Conflict.IGNORE;
      case "update-if-not-null" -> Conflict.UPDATE_IF_NOT_NULL;
      default -> throw refs.invalid("has the unknown conflict mode \"" + spec.conflict() + "\"");
    };
    int[] version = refs.positions(spec.version(), columns);
    return conflict == Conflict.OVERWRITE && version.length == 0 && spec.unchanged() == null
        ? null
        : new UpsertRule(conflict, version, Projections.types(columns), spec.names());
  }

  /** The row after these steps, null if there is none; {@code old} is null if there was none. */
  UnsafeRow apply(UnsafeRow old, List<Step> steps) {
    UnsafeRow now = old;
    for (Step step : steps) {
      if (isStale(now, step.row)) {
        continue;
      }
      if (step.delete) {
        now = null;
      } else if (now == null) {
        now = step.row;
      } else if (conflict == Conflict.OVERWRITE) {
        now = step.unchanged == null ? step.row : over(now, step);
      } else if (conflict == Conflict.UPDATE_IF_NOT_NULL) {
        now = merged(now, step.row);
      }
    }
    return now;
  }

  /** True if the row kept has a version that the new one does not reach. */
  private boolean isStale(UnsafeRow kept, UnsafeRow row) {
    for (int column : kept == null ? new int[0] : version) {
      int compared = compare(row, kept, column);
      if (compared != 0) {
        return compared < 0;
      }
    }
    return false;
  }

  /** No version is below all others. */
  private int compare(UnsafeRow row, UnsafeRow kept, int column) {
    if (row.isNullAt(column) || kept.isNullAt(column)) {
      return Boolean.compare(kept.isNullAt(column), row.isNullAt(column));
    }
    Ordering<Object> ordering = TypeUtils.getInterpretedOrdering(types[column]);
    return ordering.compare(row.get(column, types[column]), kept.get(column, types[column]));
  }

  /** Which columns an upsert's row names; null: none. Names of columns that nobody reads pass. */
  boolean[] named(ArrayData given) {
    if (given == null || given.numElements() == 0) {
      return null;
    }
    boolean[] found = new boolean[types.length];
    for (int i = 0; i < given.numElements(); i++) {
      int at = names.indexOf(given.getUTF8String(i).toString());
      if (at >= 0) {
        found[at] = true;
      }
    }
    return found;
  }

  private UnsafeRow over(InternalRow kept, Step step) {
    GenericInternalRow result = new GenericInternalRow(types.length);
    for (int i = 0; i < types.length; i++) {
      result.update(i, (step.unchanged[i] ? kept : step.row).get(i, types[i]));
    }
    return UnsafeProjection.create(types).apply(result).copy();
  }

  private UnsafeRow merged(InternalRow kept, InternalRow row) {
    GenericInternalRow result = new GenericInternalRow(types.length);
    for (int i = 0; i < types.length; i++) {
      result.update(i, row.isNullAt(i) ? kept.get(i, types[i]) : row.get(i, types[i]));
    }
    return UnsafeProjection.create(types).apply(result).copy();
  }
}
