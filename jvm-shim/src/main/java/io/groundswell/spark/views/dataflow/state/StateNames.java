package io.groundswell.spark.views.dataflow.state;

import java.util.List;

/** What the names of states tell. */
public final class StateNames {
  private static final List<String> READABLE = List.of("view-", "index-", "source-");

  private StateNames() {}

  /**
   * True of states that readers may name by an epoch: views, indexes and tables. Of other states
   * the next barrier reads the newest commits, and nobody reads older ones.
   */
  public static boolean isReadable(String state) {
    return READABLE.stream().anyMatch(state::startsWith);
  }
}
