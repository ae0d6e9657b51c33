// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

/**
 * An operator that keeps a state.
 */
public sealed interface StatefulSpec
    extends OperatorSpec permits ConstantSpec, NormalizeSpec, KeepSpec, StoredResultsSpec,
            TwoSidedSpec, ArrangeSpec, AggregateSpec, WindowSpec, FirstRowsSpec, FirstOfOrderSpec,
            ExpireSpec, TemporalFilterSpec, WindowCloseSpec, FixpointSpec, MaterializeSpec {
  /** Name of its state. */
  String state();

  /** Whether the state is begun again, whatever is there. */
  boolean anew();
}
