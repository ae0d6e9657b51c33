/**
 * Groups: {@code AggregateOperator} keeps one row a group, {@code GroupTable} its state, {@code
 * Accumulator} is one aggregate call in one group. {@code AggregateCall} chooses the accumulator:
 * running (sums, counts, moments), ordered ({@code ValueMultiset}: min and max under retraction),
 * or computed anew over the group's values ({@code RecomputedAccumulator}, {@code
 * BufferAccumulator}).
 * {@code DistinctValues} and {@code DistinctChanges} serve distinct calls. {@code
 * PartialAggregation} folds a barrier's rows before they are exchanged.
 */
package io.groundswell.spark.views.operator.aggregate;
