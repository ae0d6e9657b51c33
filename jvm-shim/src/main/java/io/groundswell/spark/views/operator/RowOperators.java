package io.groundswell.spark.views.operator;

import io.groundswell.error.EngineException;
import io.groundswell.spark.views.contract.dataflow.AffectedKeysSpec;
import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.ArrangeSpec;
import io.groundswell.spark.views.contract.dataflow.ConsolidateSpec;
import io.groundswell.spark.views.contract.dataflow.DivertedSpec;
import io.groundswell.spark.views.contract.dataflow.ExpireSpec;
import io.groundswell.spark.views.contract.dataflow.FirstOfOrderSpec;
import io.groundswell.spark.views.contract.dataflow.FirstRowsSpec;
import io.groundswell.spark.views.contract.dataflow.FixpointSpec;
import io.groundswell.spark.views.contract.dataflow.JoinSpec;
import io.groundswell.spark.views.contract.dataflow.KeepSpec;
import io.groundswell.spark.views.contract.dataflow.LookupSpec;
import io.groundswell.spark.views.contract.dataflow.MaterializeSpec;
import io.groundswell.spark.views.contract.dataflow.NormalizeSpec;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.contract.dataflow.StoredResultsSpec;
import io.groundswell.spark.views.contract.dataflow.TemporalFilterSpec;
import io.groundswell.spark.views.contract.dataflow.TemporalJoinSpec;
import io.groundswell.spark.views.contract.dataflow.WeightsSpec;
import io.groundswell.spark.views.contract.dataflow.WindowCloseSpec;
import io.groundswell.spark.views.contract.dataflow.WindowSpec;
import io.groundswell.spark.views.operator.aggregate.AggregateOperator;
import io.groundswell.spark.views.operator.change.AffectedKeysOperator;
import io.groundswell.spark.views.operator.change.ChangelogOperator;
import io.groundswell.spark.views.operator.change.ConsolidateOperator;
import io.groundswell.spark.views.operator.change.DivertOperator;
import io.groundswell.spark.views.operator.change.NormalizeOperator;
import io.groundswell.spark.views.operator.change.PassOperator;
import io.groundswell.spark.views.operator.change.StoredResultsOperator;
import io.groundswell.spark.views.operator.change.WeightsOperator;
import io.groundswell.spark.views.operator.join.JoinOperator;
import io.groundswell.spark.views.operator.lookup.ArrangeOperator;
import io.groundswell.spark.views.operator.lookup.LookupOperator;
import io.groundswell.spark.views.operator.lookup.TemporalJoinOperator;
import io.groundswell.spark.views.operator.rank.FirstRowsOperator;
import io.groundswell.spark.views.operator.rank.TopNOperator;
import io.groundswell.spark.views.operator.recursion.FixpointOperator;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.time.ExpireOperator;
import io.groundswell.spark.views.operator.time.TemporalFilterOperator;
import io.groundswell.spark.views.operator.time.WindowCloseOperator;
import io.groundswell.spark.views.operator.view.MaterializeOperator;
import io.groundswell.spark.views.operator.window.WindowOperator;
import java.util.List;

/** Makes row operators from their description in a dataflow. */
public final class RowOperators {
  private RowOperators() {}

  /**
   * @param spec the operator of the dataflow
   * @param inputs the columns of each input, without {@code _weight}
   * @param output the columns it gives, without {@code _weight}
   * @param calls finds the expressions that {@code spec} names
   * @throws EngineException {@code INVALID_ARGUMENT} if the description cannot be run
   */
  public static RowOperator create(
      OperatorSpec spec, List<List<Column>> inputs, List<Column> output, CallResolver calls) {
    List<Column> input = inputs.isEmpty() ? List.of() : inputs.get(0);
    return switch (spec.kind()) {
      case "constant" -> new PassOperator();
      case "normalize" -> normalize((NormalizeSpec) spec, input, output, calls);
      case "signs" -> new WeightsOperator((WeightsSpec) spec, input, output);
      case "diverted" -> new DivertOperator((DivertedSpec) spec, input, output, calls);
      case "materialize" -> new MaterializeOperator((MaterializeSpec) spec, input);
      case "keep" -> new MaterializeOperator((KeepSpec) spec, input);
      case "remember" -> new StoredResultsOperator((StoredResultsSpec) spec, output);
      case "arrange" -> new ArrangeOperator((ArrangeSpec) spec, input, output);
      case "lookup" -> new LookupOperator((LookupSpec) spec, inputs, output, calls);
      case "touched" -> new AffectedKeysOperator((AffectedKeysSpec) spec, input, output);
      case "net" -> new ConsolidateOperator((ConsolidateSpec) spec, input, output);
      case "join" -> new JoinOperator((JoinSpec) spec, inputs, output, calls);
      case "temporal_join" ->
        new TemporalJoinOperator((TemporalJoinSpec) spec, inputs, output, calls);
      case "expire" -> new ExpireOperator((ExpireSpec) spec, input, output);
      case "top_n", "top_n_local" -> new TopNOperator((FirstOfOrderSpec) spec, input, output);
      case "aggregate" -> new AggregateOperator((AggregateSpec) spec, input, output, calls);
      case "window" -> new WindowOperator((WindowSpec) spec, input, output, calls);
      case "first_rows" -> new FirstRowsOperator((FirstRowsSpec) spec, input, output, calls);
      case "temporal_filter" ->
        new TemporalFilterOperator((TemporalFilterSpec) spec, input, output, calls);
      case "fixpoint" -> new FixpointOperator((FixpointSpec) spec, input);
      case "window_close" -> new WindowCloseOperator((WindowCloseSpec) spec, input, output, calls);
      default -> throw new Refs(spec).invalid("has no row operator");
    };
  }

  private static RowOperator normalize(
      NormalizeSpec spec, List<Column> input, List<Column> output, CallResolver calls) {
    return switch (spec.mode()) {
      case "upsert" -> new NormalizeOperator(spec, input, output, calls);
      case "changelog" -> new ChangelogOperator(spec, input, output);
      default ->
        throw new Refs(spec).invalid("has an unknown mode; there are upsert and changelog");
    };
  }
}
