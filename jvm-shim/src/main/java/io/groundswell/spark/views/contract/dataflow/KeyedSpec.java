// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import java.util.List;

/**
 * An operator whose rows are told apart by a key.
 */
public sealed interface KeyedSpec
    extends OperatorSpec permits NormalizeSpec, KeepSpec, ConsolidateSpec, AffectedKeysSpec,
            StoredResultsSpec, ArrangeSpec, WindowSpec, FirstRowsSpec, FirstOfOrderSpec, ExpireSpec,
            TemporalFilterSpec, WindowCloseSpec, FixpointSpec, RecursiveReferenceSpec, ResultSpec,
            MaterializeSpec {
  /** Refs of the columns that tell its rows apart. */
  List<String> key();
}
