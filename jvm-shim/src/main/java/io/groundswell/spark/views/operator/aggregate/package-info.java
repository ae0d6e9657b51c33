/**
 * Groups: {@code AggregateOperator} keeps one row a group, {@code GroupTable} finds the groups that
 * a barrier touches and their state, {@code GroupCalls} has the calls. {@code Accumulators} are one
 * call in all these groups, in shared arrays (counts, {@code ExactSums}), or with an {@code
 * Accumulator} of its own in each. A barrier's rows are summed up first, and what the state has is
 * added after them. {@code AggregateCall} chooses: running (sums, counts, moments), ordered ({@code
 * ValueMultiset}: min and max under retraction), or recomputed over the group's values ({@code
 * RecomputedAccumulator}, {@code BufferAccumulator}).
 * {@code DistinctValues} and {@code DistinctChanges} serve distinct calls. {@code
 * PartialAggregation} folds a barrier's rows before they are exchanged.
 */
package io.groundswell.spark.views.operator.aggregate;
