// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow;

import io.groundswell.spark.views.contract.dataflow.part.StoredColumn;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * An operator that gives the rows of a table of a state, or what changed in it.
 */
public sealed interface StoredSpec
    extends ReadingSpec permits SnapshotSpec, RecursiveReferenceSpec, ResultSpec {
  /** Of the state. */
  String table();

  /** Where each column stands. */
  List<StoredColumn> parts();

  /** Types of the table's key columns. */
  List<DataType> keyTypes();

  /** Types of its other columns. */
  List<DataType> rowTypes();
}
