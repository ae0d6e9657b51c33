// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;

/**
 * An operator whose rows may be done at a time.
 */
public sealed interface BoundedSpec
    extends OperatorSpec permits NormalizeSpec, JoinSpec, AggregateSpec, WindowSpec, FirstRowsSpec {
  /** That ends rows; null: they are for ever. */
  WatermarkSpec watermark();
}
