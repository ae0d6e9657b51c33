package io.groundswell.spark.views.operator.join;

import io.groundswell.spark.views.operator.spi.Refs;

/** What a join gives. A right outer join is a left outer one with its sides exchanged. */
public enum JoinType {
  /** The pairs. */
  INNER,
  /** The pairs, and left rows without a match beside nulls. */
  LEFT_OUTER,
  /** The pairs, and rows of either side without a match beside nulls. */
  FULL_OUTER,
  /** Left rows with a match. */
  LEFT_SEMI,
  /** Left rows without a match. */
  LEFT_ANTI,
  /** Left rows, and whether they have a match. */
  EXISTENCE;

  /** The type that a dataflow names. */
  public static JoinType of(String name, Refs refs) {
    for (JoinType type : values()) {
      if (type.name().equalsIgnoreCase(name)) {
        return type;
      }
    }
    throw refs.invalid("has an unknown join type");
  }

  public boolean givesPairs() {
    return this == INNER || this == LEFT_OUTER || this == FULL_OUTER;
  }

  /** Whether a row of that side that can match nothing says something. */
  public boolean keepsUnmatched(boolean left) {
    return left ? this != INNER && this != LEFT_SEMI : this == FULL_OUTER;
  }

  /** Whether the result depends on a row's having a match, not only on its pairs. */
  boolean tracks(boolean left) {
    return left ? this != INNER : this == FULL_OUTER;
  }
}
