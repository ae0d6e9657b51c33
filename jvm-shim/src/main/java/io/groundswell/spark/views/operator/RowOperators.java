package io.groundswell.spark.views.operator;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.error.EngineException;
import io.groundswell.spark.views.operator.aggregate.AggregateOperator;
import io.groundswell.spark.views.operator.change.ChangelogOperator;
import io.groundswell.spark.views.operator.change.DivertOperator;
import io.groundswell.spark.views.operator.change.NetOperator;
import io.groundswell.spark.views.operator.change.NormalizeOperator;
import io.groundswell.spark.views.operator.change.PassOperator;
import io.groundswell.spark.views.operator.change.RememberOperator;
import io.groundswell.spark.views.operator.change.SignsOperator;
import io.groundswell.spark.views.operator.change.TouchedOperator;
import io.groundswell.spark.views.operator.join.JoinOperator;
import io.groundswell.spark.views.operator.lookup.ArrangeOperator;
import io.groundswell.spark.views.operator.lookup.LookupOperator;
import io.groundswell.spark.views.operator.lookup.TemporalJoinOperator;
import io.groundswell.spark.views.operator.rank.FirstRowsOperator;
import io.groundswell.spark.views.operator.rank.TopNOperator;
import io.groundswell.spark.views.operator.recursion.FixpointOperator;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.Spec;
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
   * @param spec the operator of the dataflow, with its {@code op}
   * @param inputs the columns of each input, without {@code _weight}
   * @param output the columns it gives, without {@code _weight}
   * @param calls finds the expressions that {@code spec} names
   * @throws EngineException {@code INVALID_ARGUMENT} if the description cannot be run
   */
  public static RowOperator create(
      JsonNode spec, List<List<Column>> inputs, List<Column> output, CallResolver calls) {
    Spec described = new Spec(spec);
    return switch (described.op()) {
      case "normalize" -> normalize(described, inputs.get(0), output, calls);
      case "constant" -> new PassOperator();
      case "signs" -> new SignsOperator(described, inputs.get(0), output);
      case "diverted" -> new DivertOperator(described, inputs.get(0), output, calls);
      case "materialize", "keep" -> new MaterializeOperator(described, inputs.get(0));
      case "remember" -> new RememberOperator(described, output);
      case "arrange" -> new ArrangeOperator(described, inputs.get(0), output);
      case "lookup" -> new LookupOperator(described, inputs, output, calls);
      case "touched" -> new TouchedOperator(described, inputs.get(0), output);
      case "net" -> new NetOperator(described, inputs.get(0), output);
      case "join" -> new JoinOperator(described, inputs, output, calls);
      case "temporal_join" -> new TemporalJoinOperator(described, inputs, output, calls);
      case "expire" -> new ExpireOperator(described, inputs.get(0), output);
      case "top_n", "top_n_local" -> new TopNOperator(described, inputs.get(0), output);
      case "aggregate" -> new AggregateOperator(described, inputs.get(0), output, calls);
      case "window" -> new WindowOperator(described, inputs.get(0), output, calls);
      case "first_rows" -> new FirstRowsOperator(described, inputs.get(0), output, calls);
      case "temporal_filter" -> new TemporalFilterOperator(described, inputs.get(0), output, calls);
      case "fixpoint" -> new FixpointOperator(described, inputs.get(0));
      case "window_close" -> new WindowCloseOperator(described, inputs.get(0), output, calls);
      default -> throw described.invalid("has no row operator");
    };
  }

  private static RowOperator normalize(
      Spec spec, List<Column> input, List<Column> output, CallResolver calls) {
    return switch (spec.text("mode")) {
      case "upsert" -> new NormalizeOperator(spec, input, output, calls);
      case "changelog" -> new ChangelogOperator(spec, input, output);
      default -> throw spec.invalid("has an unknown mode; there are upsert and changelog");
    };
  }
}
