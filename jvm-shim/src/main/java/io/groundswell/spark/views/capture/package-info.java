/**
 * From a query to its description, in four rooms; each may use those before it.
 *
 * <ol>
 *   <li>{@code stream}: which leaves of a plan read streams, and what stands for them.
 *   <li>{@code refuse}: what no view may contain, and what may fail on some row.
 *   <li>{@code rewrite}: the analysed and the optimised plan, said with what can be maintained.
 *   <li>{@code describe}: the JSON that Python plans with, and Catalyst's nodes behind its ids.
 * </ol>
 *
 * <p>Flow ({@code entry.PlanCapture}): replace streams by placeholders, rewrite what Spark's
 * optimiser would spoil, optimise, rewrite the rest, look for refusals, describe.
 */
package io.groundswell.spark.views.capture;
