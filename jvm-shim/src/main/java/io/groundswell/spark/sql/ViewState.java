package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.dataflow.state.CommitRef;
import io.groundswell.spark.views.dataflow.state.StateReads;
import io.groundswell.spark.views.operator.lookup.IndexLayout;
import io.groundswell.spark.views.operator.lookup.PointRead;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Where rows are: the state of a view or of an index at an epoch.
 *
 * @param folder of the state
 * @param commits of its partitions, JSON
 * @param schema of its rows, hidden columns included
 * @param by names of the key columns; of an index, those it is looked up by; empty: no lookups
 * @param places of an index, JSON of {index, key}; missing: it is a view
 */
record ViewState(
    String folder, JsonNode commits, StructType schema, List<String> by, JsonNode places) {
  static ViewState of(JsonNode found) {
    return new ViewState(found.path("folder").asText(), found.path("commits"),
        (StructType) DataType.fromJson(found.path("schema").toString()),
        Json.strings(found.path("by")), found.path("places"));
  }

  boolean isIndex() {
    return places.isObject();
  }

  List<CommitRef> partitions() {
    return CommitRef.list(commits);
  }

  /** The rows of one key, or of the keys of an index that begin with these values. */
  List<InternalRow> lookup(Object[] values, Configuration conf) {
    DataType[] types = new DataType[values.length];
    for (int i = 0; i < types.length; i++) {
      types[i] = schema.apply(by.get(i)).dataType();
    }
    PointRead key = new PointRead(types, values, isIndex());
    return StateReads.rows(folder, commits, key, isIndex() ? layout() : null, schema.size(), conf);
  }

  private IndexLayout layout() {
    List<Column> columns = new ArrayList<>();
    for (StructField field : schema.fields()) {
      columns.add(new Column(field.name(), field.name(), field.dataType(), field.nullable()));
    }
    return new IndexLayout(columns, positions(places.path("index")), positions(places.path("key")));
  }

  private static int[] positions(JsonNode list) {
    int[] result = new int[list.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = list.path(i).asInt();
    }
    return result;
  }
}
