/**
 * SQL's way in: the parser hook and the catalog. Both ask Python, which decides; nothing here knows
 * what a pipeline consists of.
 *
 * <ul>
 *   <li>{@link io.groundswell.spark.sql.StatementParser} stands before Spark's parser. It offers
 *       each statement to Python by its first words, and hands all others on.
 *   <li>{@link io.groundswell.spark.sql.ViewCatalog} is the catalog {@code groundswell}: pipelines
 *       are its namespaces; tables and views of a pipeline are its tables, read at one epoch.
 *   <li>{@link io.groundswell.spark.sql.ViewScanBuilder} reads a view at an epoch: by one task a
 *       state partition, or, where a condition binds a key, by single keys and without a job.
 *   <li>{@link io.groundswell.spark.sql.ViewChangelog} reads what epochs changed, at once or as a
 *       stream.
 *   <li>{@link io.groundswell.spark.sql.UseViews} is the optimizer rule that answers queries from
 *       views; {@link io.groundswell.spark.sql.Rewriting} is its work on one query, with the tests
 *       of {@link io.groundswell.spark.sql.rewrite}.
 *   <li>{@link io.groundswell.spark.sql.Statements} is the one bridge to Python: JSON goes out,
 * JSON comes back, and a failure is a {@link io.groundswell.spark.sql.StatementException}.
 * </ul>
 *
 * <p>Invariant: all views of one pipeline in one query are of one epoch, see {@link
 * io.groundswell.spark.sql.QueryEpochs}.
 */
package io.groundswell.spark.sql;
