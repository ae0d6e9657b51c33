// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.commits.IndexPlaces;
import io.groundswell.spark.views.contract.commits.StateCommits;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.DataType;

/**
 * The rows of a table, view or index at an epoch.
 *
 * @param at their state
 * @param schema of the rows, hidden columns included
 * @param by names of the key columns, or of those that the index is looked up by; empty: no
 *     lookups
 * @param places of an index; null: it is a table or view
 */
public record StateAt(StateCommits at, DataType schema, List<String> by, IndexPlaces places)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public StateAt {
    Checks.present(at, "at");
    Checks.present(schema, "schema");
    by = Checks.list(by, "by");
  }
}
