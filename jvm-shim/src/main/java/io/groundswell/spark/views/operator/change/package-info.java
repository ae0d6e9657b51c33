/**
 * Operators that make, net or mark changes, one row at a time: {@code NormalizeOperator} (upserts
 * against the kept row; {@code UpsertRule}, {@code RowLives}), {@code ChangelogOperator} (changes
 * that a source names itself), {@code ConsolidateOperator}, {@code WeightsOperator}, {@code
 * AffectedKeysOperator},
 * {@code StoredResultsOperator} (values of functions that must be taken back as they were given),
 * {@code DivertOperator} (rows that fail), {@code PassOperator}.
 */
package io.groundswell.spark.views.operator.change;
