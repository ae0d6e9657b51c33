/**
 * What an operator is, and what it is told: {@code RowOperator} and {@code EventTimeOperator} (the
 * two interfaces), {@code Refs} (the columns that its description names), {@code Column}, {@code
 * CallResolver} (captured expressions by id), {@code Projections} (generated code, lent to a run),
 * {@code StatePartitions} (another operator's state), {@code OperatorCounters},
 * {@code RowFailures} (shows the row that failed), {@code ChangeType} (names at the edges).
 */
package io.groundswell.spark.views.operator.spi;
