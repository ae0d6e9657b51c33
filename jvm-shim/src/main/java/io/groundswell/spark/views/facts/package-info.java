/**
 * What Spark's expressions do: one table with one row a class, {@code facts.txt}, and one of
 * the settings that they ask for, {@code settings.txt}. {@code groundswell.expressions} owns both,
 * and the jar carries them along.
 *
 * <p>Roles: {@code Facts} (a row), {@code FactsTable} (finds the row of an expression),
 * {@code Settings} (what a setting does to values), {@code Rows} (reads a table).
 *
 * <p>Invariant: a class without a row gets {@code Facts.UNKNOWN}, which promises nothing.
 */
package io.groundswell.spark.views.facts;
