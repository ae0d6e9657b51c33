/**
 * The first rows of a group in an order: {@code TopNOperator} (under updates and deletes), {@code
 * FirstRowsOperator} and {@code FirstRows} (of append-only inputs, which need keep no more than
 * what is shown), {@code RankLimit} (how many, and how ties count).
 */
package io.groundswell.spark.views.operator.rank;
