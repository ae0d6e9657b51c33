// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

/**
 * An operator that reads a state that another one writes.
 */
public sealed interface ReadingSpec extends OperatorSpec permits StoredSpec, LookupSpec {
  /** Name of the state. */
  String reads();
}
