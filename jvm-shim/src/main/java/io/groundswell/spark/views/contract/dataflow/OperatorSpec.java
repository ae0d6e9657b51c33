// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.Serializable;
import java.util.List;

/**
 * One operator of a dataflow. Rows are its columns, and a weight.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
  @JsonSubTypes.Type(value = SourceSpec.class, name = "source")
  , @JsonSubTypes.Type(value = SnapshotSpec.class, name = "snapshot"),
      @JsonSubTypes.Type(value = ConstantSpec.class, name = "constant"),
      @JsonSubTypes.Type(value = NormalizeSpec.class, name = "normalize"),
      @JsonSubTypes.Type(value = WeightsSpec.class, name = "signs"),
      @JsonSubTypes.Type(value = KeepSpec.class, name = "keep"),
      @JsonSubTypes.Type(value = StatelessSpec.class, name = "stateless"),
      @JsonSubTypes.Type(value = UnionSpec.class, name = "union"),
      @JsonSubTypes.Type(value = ConsolidateSpec.class, name = "net"),
      @JsonSubTypes.Type(value = AffectedKeysSpec.class, name = "touched"),
      @JsonSubTypes.Type(value = StoredResultsSpec.class, name = "remember"),
      @JsonSubTypes.Type(value = DivertedSpec.class, name = "diverted"),
      @JsonSubTypes.Type(value = JoinSpec.class, name = "join"),
      @JsonSubTypes.Type(value = TemporalJoinSpec.class, name = "temporal_join"),
      @JsonSubTypes.Type(value = ArrangeSpec.class, name = "arrange"),
      @JsonSubTypes.Type(value = LookupSpec.class, name = "lookup"),
      @JsonSubTypes.Type(value = AggregateSpec.class, name = "aggregate"),
      @JsonSubTypes.Type(value = WindowSpec.class, name = "window"),
      @JsonSubTypes.Type(value = FirstRowsSpec.class, name = "first_rows"),
      @JsonSubTypes.Type(value = TopNSpec.class, name = "top_n"),
      @JsonSubTypes.Type(value = TopNLocalSpec.class, name = "top_n_local"),
      @JsonSubTypes.Type(value = ExpireSpec.class, name = "expire"),
      @JsonSubTypes.Type(value = TemporalFilterSpec.class, name = "temporal_filter"),
      @JsonSubTypes.Type(value = WindowCloseSpec.class, name = "window_close"),
      @JsonSubTypes.Type(value = FixpointSpec.class, name = "fixpoint"),
      @JsonSubTypes.Type(value = RecursiveReferenceSpec.class, name = "feedback"),
      @JsonSubTypes.Type(value = ResultSpec.class, name = "result"),
      @JsonSubTypes.Type(value = MaterializeSpec.class, name = "materialize")
})
public sealed interface OperatorSpec
    extends Serializable permits StatefulSpec, KeyedSpec, BoundedSpec, ReadingSpec, SourceSpec,
            WeightsSpec, StatelessSpec, UnionSpec, DivertedSpec {
  /** Its name among the documents of this base. */
  String kind();

  /** Its number in the dataflow. */
  int id();

  /** Refs of the columns that it gives. */
  List<String> columns();

  /** Ids of the operators whose rows it takes; they stand before it. */
  List<Integer> inputs();

  /** What it does, in SQL's words, for people. */
  List<String> texts();
}
