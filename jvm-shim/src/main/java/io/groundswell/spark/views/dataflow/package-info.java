/**
 * Runs a planned dataflow, barrier after barrier, as Spark jobs over the engine's stores.
 *
 * <p><b>Compile</b> ({@code Compiler}, once): each stateless chain becomes a {@code Segment}, a
 * physical plan whose generated code is kept, together with the exchange ({@code Distribution})
 * that its reader needs; each stateful operator a {@code RowOperator}. Columns keep Catalyst's
 * attribute ids, so captured expressions bind as they are ({@code Columns}, {@code Steps}).
 *
 * <p><b>Run</b> ({@code DataflowRunner}, every barrier): {@code SourceSplitter} takes the batch
 * apart, {@code SourceRows} numbers each source's rows (files in {@code FileOrder}; flat columns
 * are read where they stand, {@code BatchRows}), {@code Barrier} builds one RDD an operator, {@code
 * OperatorTask} opens the partition's state at its base, lets the operator run and commits, {@code
 * TaskReport}s travel through an accumulator,
 * {@code Results} puts them together. Where all tasks are in one process, {@code LocalExchanges}
 * runs what is below each exchange first, into {@code DealtRows}; elsewhere Spark exchanges.
 *
 * <p>Invariants. Each operator runs in one job of a barrier. A task commits only after its result
 * was taken to the end, and twice if it runs twice: both commits are whole, the driver names one. A
 * partition without input is left alone, and so is an operator none of whose sources has news.
 * Rows of an operator that several read are kept for the barrier, so no state is written by way of
 * two readers.
 */
package io.groundswell.spark.views.dataflow;
