/**
 * From a query to its description: which leaves read streams, how the plan is optimised, what each
 * node and expression is called outside of the JVM.
 *
 * <p>Roles: {@code StreamingLeaves} and {@code StandInRdd} (streams and what stands for them),
 * {@code CaptureOptimizer} (Spark's optimiser less the rules that suit only queries that end),
 * {@code PlanDescriber}, {@code ExpressionDescriber} and {@code HiddenArguments} (the description,
 * with what SQL text leaves out), {@code JoinKeys} and
 * {@code AggregateParts} (nodes taken apart), {@code Refusals} (what only the analysed plan shows),
 * {@code WrappedFunctions} (Python's functions over groups and table functions as scalar
 * functions),
 * {@code Rewrites} (subqueries, NOT IN, generators and collated strings in a form that can be
 * kept), {@code Constants} (what reads no stream), {@code EventTime} and {@code TimeColumns}
 * (watermarks, and what carries them on), {@code TemporalFilters} (comparisons with the barrier's
 * clock),
 * {@code CapturedPlan} (ids → nodes, expressions, attributes).
 *
 * <p>Invariant: an id means one thing for the life of its {@code CapturedPlan}, and attribute ids
 * are Catalyst's own, so a plan made of captured expressions binds without a look-up of ours.
 */
package io.groundswell.spark.views.capture;
