package io.groundswell.spark.views.dataflow.compile;

import io.groundswell.spark.views.contract.dataflow.AffectedKeysSpec;
import io.groundswell.spark.views.contract.dataflow.AggregateSpec;
import io.groundswell.spark.views.contract.dataflow.ArrangeSpec;
import io.groundswell.spark.views.contract.dataflow.FirstRowsSpec;
import io.groundswell.spark.views.contract.dataflow.JoinSpec;
import io.groundswell.spark.views.contract.dataflow.KeyedSpec;
import io.groundswell.spark.views.contract.dataflow.LookupSpec;
import io.groundswell.spark.views.contract.dataflow.OperatorSpec;
import io.groundswell.spark.views.contract.dataflow.TemporalJoinSpec;
import io.groundswell.spark.views.contract.dataflow.TopNLocalSpec;
import io.groundswell.spark.views.contract.dataflow.TopNSpec;
import io.groundswell.spark.views.contract.dataflow.TwoSidedSpec;
import io.groundswell.spark.views.contract.dataflow.WindowSpec;
import io.groundswell.spark.views.dataflow.exchange.Distribution;
import java.util.List;

/** Where the rows of an operator's inputs have to be, and where its own are. */
final class Distributions {
  private final Columns columns;
  private final int partitions;

  /**
   * @param partitions of every state
   */
  Distributions(Columns columns, int partitions) {
    this.columns = columns;
    this.partitions = partitions;
  }

  /** By input; none if the operator takes rows where they are. */
  List<Distribution> of(OperatorSpec operator) {
    if (operator instanceof TwoSidedSpec join) {
      return List.of(by(join.leftKeys()), by(join.rightKeys()));
    }
    if (operator instanceof LookupSpec lookup) {
      return List.of(byFirst(lookup.keys()), byFirst(lookup.deltaKeys()));
    }
    if (operator instanceof ArrangeSpec arrange) {
      return List.of(byFirst(arrange.index()));
    }
    if (operator instanceof AffectedKeysSpec touched) {
      return List.of(byFirst(touched.key()));
    }
    if (operator instanceof AggregateSpec aggregate) {
      return List.of(by(aggregate.grouping()));
    }
    if (operator instanceof WindowSpec window) {
      return List.of(by(window.partition()));
    }
    if (operator instanceof FirstRowsSpec firstRows) {
      return List.of(by(firstRows.partition()));
    }
    if (operator instanceof TopNSpec) {
      return List.of(Distribution.of(List.of(), 1));
    }
    if (operator instanceof TopNLocalSpec local) {
      return List.of(byFirst(List.of(local.bucket())));
    }
    return operator instanceof KeyedSpec keyed ? List.of(by(keyed.key())) : List.of();
  }

  /** Those that the output still has: rows beside nulls are not where the nulls' hash says. */
  List<Distribution> lasting(OperatorSpec operator, List<Distribution> distributions) {
    if (operator instanceof LookupSpec lookup) {
      return !lookup.hot().isEmpty()   ? List.of()
          : lookup.rowKeys().isEmpty() ? distributions.subList(0, 1)
                                       : List.of(distributions.get(0), byFirst(lookup.rowKeys()));
    }
    if (!(operator instanceof JoinSpec join)) {
      return operator instanceof TemporalJoinSpec ? distributions.subList(0, 1) : distributions;
    }
    return switch (join.joinType()) {
      case "inner" -> distributions;
      case "full_outer" ->
        distributions.stream().filter(distribution -> distribution.keys().isEmpty()).toList();
      default -> distributions.subList(0, 1);
    };
  }

  /** Indexes are placed by their first column. */
  private Distribution byFirst(List<String> refs) {
    return by(refs.subList(0, Math.min(1, refs.size())));
  }

  private Distribution by(List<String> refs) {
    return Distribution.of(columns.attributes(refs), partitions);
  }
}
