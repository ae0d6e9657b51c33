/**
 * Tasks over rows, and rows between tasks: {@code OperatorRdd} (a task of ours as an RDD), {@code
 * GeneratedCode} (a stage of Spark's as such a task), {@code GroupedRdd} (fewer, larger tasks),
 * {@code Distribution} (what a reader asks of the rows' places). Where all tasks are in one
 * process,
 * {@code LocalExchanges} runs what is below each exchange first, into {@code ShuffledRows};
 * elsewhere Spark exchanges. {@code PackedRows}, {@code RowPages} and {@code RowBytes} hold rows as
 * bytes. What tasks of all barriers have in common is {@code Pooled} to them, where Spark would
 * send it each time.
 */
package io.groundswell.spark.views.dataflow.exchange;
