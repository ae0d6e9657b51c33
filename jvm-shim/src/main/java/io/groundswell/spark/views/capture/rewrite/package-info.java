/**
 * A plan said with what can be maintained.
 *
 * <p>Roles: before the optimiser {@code WrappedFunctions} and {@code WindowCalls} (Python's
 * functions over groups, windows and tables as scalar functions), {@code Deduplicates}, {@code
 * TemporalFilters} with {@code ClockMark} (comparisons with the barrier's clock); the optimiser
 * itself, less the rules that suit only queries that end ({@code CaptureOptimizer}); after it
 * {@code Rewrites} (subqueries, NOT IN, generators, collated strings). {@code JoinKeys} and {@code
 * AggregateParts} take nodes apart.
 *
 * <p>Invariant: a rewritten plan gives the same rows, and what cannot be rewritten stays as it is.
 */
package io.groundswell.spark.views.capture.rewrite;
