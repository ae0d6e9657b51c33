package io.groundswell.spark.sql;

import io.groundswell.spark.views.contract.commits.IndexPlaces;
import io.groundswell.spark.views.contract.commits.StateCommits;
import io.groundswell.spark.views.contract.sql.StateAt;
import io.groundswell.spark.views.dataflow.state.StateReads;
import io.groundswell.spark.views.operator.lookup.IndexLayout;
import io.groundswell.spark.views.operator.lookup.PointRead;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * Where rows are: the state of a view or of an index at an epoch.
 *
 * @param at the state at the epoch
 * @param schema of its rows, hidden columns included
 * @param by names of the key columns; of an index, those it is looked up by; empty: no lookups
 * @param places of an index; null: it is a view
 */
record ViewState(StateCommits at, StructType schema, List<String> by, IndexPlaces places) {
  /** Says why a row of a source could not be read; null in all others. See plan/sources.py. */
  private static final String MALFORMED = "_groundswell_malformed";

  static ViewState of(StateAt found) {
    return new ViewState(found.at(), (StructType) found.schema(), found.by(), found.places());
  }

  /** Tells the rows that readers see from those that hold what could not be read. */
  static Predicate<InternalRow> shown(StructType schema) {
    int at = List.of(schema.fieldNames()).indexOf(MALFORMED);
    return at < 0 ? row -> true : row -> row.isNullAt(at);
  }

  boolean isIndex() {
    return places != null;
  }

  /** The rows of one key, or of the keys of an index that begin with these values. */
  List<InternalRow> lookup(Object[] values, Configuration conf) {
    DataType[] types = new DataType[values.length];
    for (int i = 0; i < types.length; i++) {
      types[i] = schema.apply(by.get(i)).dataType();
    }
    PointRead key = new PointRead(types, values, isIndex());
    List<InternalRow> found = StateReads.rows(
        at, key, isIndex() ? IndexLayout.of(schema, places) : null, schema.size(), conf);
    return found.stream().filter(shown(schema)).toList();
  }
}
