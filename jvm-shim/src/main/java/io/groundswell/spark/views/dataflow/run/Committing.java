package io.groundswell.spark.views.dataflow.run;

/** What becomes of the commits of a barrier. */
public enum Committing {
  /** They stay in the memory of the application, and a later checkpoint makes them durable. */
  AHEAD,

  /** Each is an object of its own. */
  ALONE,

  /** Those of a task share objects, but for large ones. */
  PACKED
}
