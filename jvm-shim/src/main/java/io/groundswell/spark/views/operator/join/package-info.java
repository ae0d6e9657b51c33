/**
 * Joins with a private state on each side. {@code JoinOperator} chooses among three ways: {@code
 * AppendJoin} (both sides only grow), {@code JoinDelta} (inner), {@code MatchDelta} (outer, semi,
 * anti; {@code MatchSide}, {@code MatchRows}). {@code JoinSide} is one side's table, {@code
 * JoinChanges} a barrier's changes of both, {@code AppendedRows} those of an {@code AppendJoin},
 * {@code TimeBuckets} the sides of interval joins, cut by time.
 */
package io.groundswell.spark.views.operator.join;
