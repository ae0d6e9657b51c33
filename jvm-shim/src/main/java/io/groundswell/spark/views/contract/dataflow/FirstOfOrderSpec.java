// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.views.contract.dataflow.part.SortColumn;
import java.util.List;

/**
 * Some of the first rows of an order.
 */
public sealed interface FirstOfOrderSpec
    extends StatefulSpec, KeyedSpec permits TopNSpec, TopNLocalSpec {
  /** Ties are broken by the key. */
  List<SortColumn> order();

  /** How many rows. */
  long limit();

  /** How many before these are left out. */
  long offset();
}
