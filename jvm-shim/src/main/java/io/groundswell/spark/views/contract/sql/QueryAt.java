// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.Map;

/**
 * A view with its query.
 *
 * @param name of the view
 * @param refused why no other query may be answered from it; null: it may
 * @param frame the key under which the JVM has its query; null: it is refused
 * @param relations by key of a placeholder in the query, the table or view that it stands for
 */
public record QueryAt(String name, String refused, String frame, Map<String, String> relations)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public QueryAt {
    Checks.present(name, "name");
    relations = Checks.map(relations, "relations");
  }
}
