package io.groundswell.spark.views.messages.spi;

/** A value of a message as Spark's; null stays null. */
@FunctionalInterface
public interface Value {
  /**
   * @param datum not null
   * @throws Unreadable if the column does not hold it
   */
  Object of(Object datum);

  /** The same, where there may be none. */
  default Object orNull(Object datum) {
    return datum == null ? null : of(datum);
  }
}
