package io.groundswell.spark.sql.rewrite;

/** The rows of a query cannot be computed from a view; the message says why, for people. */
public final class NotContainedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** How far a comparison came. Of several the one that came furthest tells most. */
  public enum Step { INPUTS, GROUPS, CONDITIONS, COLUMNS }

  private final Step step;

  public NotContainedException(Step step, String reason) {
    super(reason, null, false, false);
    this.step = step;
  }

  public Step step() {
    return step;
  }
}
