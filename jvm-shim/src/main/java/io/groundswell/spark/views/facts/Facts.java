package io.groundswell.spark.views.facts;

/**
 * What is known of a class of expressions; {@code facts.txt} says what each word means.
 *
 * @param why the reason to refuse it, in place of the general one; may be empty
 */
public record Facts(VariesWith variesWith, Retractable retractable, ComparableBy comparableBy,
    CanFail canFail, String why) {
  /** What else than its arguments a value depends on. */
  public enum VariesWith {
    NOTHING,
    CLOCK,
    TASK,
    SESSION,
    SAID,
    ARGUMENTS,
    ABSENT,
    /** No row says it. */
    UNKNOWN
  }

  /** How what it gave is taken back. */
  public enum Retractable { AGAIN, EXACT, BUFFER, VALUES, FRAME, POSITIONS, NO }

  /** In what its values over the same rows in another order agree. */
  public enum ComparableBy { BYTES, ROUNDING, ORDER, CHANCE, NONE }

  /** Whether it may throw on some row. */
  public enum CanFail { NO, YES, NARROWING, OVERFLOW, CAUGHT }

  /** Of a class without a row. */
  public static final Facts UNKNOWN =
      new Facts(VariesWith.UNKNOWN, Retractable.NO, ComparableBy.NONE, CanFail.YES, "");
}
