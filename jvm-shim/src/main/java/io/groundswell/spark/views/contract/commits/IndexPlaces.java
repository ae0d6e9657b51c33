// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * Where the rows of an index have their keys.
 *
 * @param index positions of the columns that it is looked up by
 * @param key positions of the stream key
 */
public record IndexPlaces(List<Integer> index, List<Integer> key) implements Serializable {
  private static final long serialVersionUID = 1L;

  public IndexPlaces {
    index = Checks.list(index, "index");
    key = Checks.list(key, "key");
  }
}
