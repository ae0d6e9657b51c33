// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.sql;

import io.groundswell.spark.contract.Checks;
import io.groundswell.spark.views.contract.commits.StateCommits;
import java.io.Serializable;

/**
 * What an epoch changed in a table or view.
 *
 * @param epoch which
 * @param micros when it was published
 * @param at the state after it
 * @param before the state that its changes are told from; null: they stand in its changelog
 * @param whole whether all its rows count as new
 */
public record EpochChanges(long epoch, long micros, StateCommits at, StateCommits before,
    boolean whole) implements Serializable {
  private static final long serialVersionUID = 1L;

  public EpochChanges {
    Checks.present(at, "at");
  }
}
