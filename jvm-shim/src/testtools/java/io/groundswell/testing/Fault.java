package io.groundswell.testing;

/** What goes wrong with one operation. */
public enum Fault {
  NONE,
  /** An error, and nothing happened. */
  BEFORE,
  /** It happened, but the caller hears of an error: a lost answer. */
  AFTER,
  /** The first half of an object appears, and an error: a store without atomic publishing. */
  TORN,
  /** A read that meets the end of the object too early; elsewhere as {@link #BEFORE}. */
  SHORT,
  /** One bit of what is published or read is wrong, and nobody says so; elsewhere nothing. */
  FLIP;

  /** True if the operation must not take place. */
  boolean prevents() {
    return this == BEFORE || this == SHORT;
  }
}
