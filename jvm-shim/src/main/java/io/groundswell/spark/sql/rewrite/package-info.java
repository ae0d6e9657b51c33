/**
 * Whether a view answers a query: containment tests for optimised plans over the same relations,
 * after Goldstein and Larson, "Optimizing Queries Using Materialized Views" (SIGMOD 2001).
 *
 * <ul>
 *   <li>{@link io.groundswell.spark.sql.rewrite.SelectBlock} is the normal form: inputs, conditions
 *       and columns of filters, projections and inner joins.
 *   <li>{@link io.groundswell.spark.sql.rewrite.Correspondence} says which inputs of query and view
 *       are the same, and what the query's columns are in terms of the view's inputs.
 *   <li>{@link io.groundswell.spark.sql.rewrite.Conditions} tests what conditions imply.
 *   <li>{@link io.groundswell.spark.sql.rewrite.Derivation} computes expressions from the columns
 * of the view; {@link io.groundswell.spark.sql.rewrite.RollUp} does so for aggregates of larger
 *       groups.
 *   <li>{@link io.groundswell.spark.sql.rewrite.ViewMatch} puts these together, and gives the plan
 *       over the view, or a {@link io.groundswell.spark.sql.rewrite.NotContainedException} with the
 *       reason.
 *   <li>{@link io.groundswell.spark.sql.rewrite.Eligibility} refuses views whose rows may differ
 *       from what Spark computes.
 * </ul>
 *
 * <p>Invariant: a plan that is given here yields the same bag of rows as the query, whatever the
 * relations hold. Each rule says why in one sentence.
 */
package io.groundswell.spark.sql.rewrite;
