// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.dataflow.part;

import java.io.Serializable;

/**
 * Where a column stands in a table of a state.
 *
 * @param inKey whether in the keys; else in the rows
 * @param at position there
 */
public record StoredColumn(boolean inKey, int at) implements Serializable {
  private static final long serialVersionUID = 1L;
}
