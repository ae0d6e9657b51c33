/**
 * Runs a planned dataflow, barrier after barrier, as Spark jobs over the engine's stores. {@link
 * DataflowRunner} is the entry point.
 *
 * <p><b>Rooms</b>, each of which uses only those before it: {@code exchange} (tasks over rows, and
 * rows between tasks), {@code state} (stores, and the commits that a barrier names), {@code source}
 * (a batch of Spark's, taken apart), {@code run} (one barrier), {@code compile} (from the plan to
 * nodes).
 *
 * <p><b>Compile</b> (once): each stateless chain becomes a {@code Segment}, a physical plan whose
 * generated code is kept, together with the exchange ({@code Distribution}) that its reader needs;
 * each stateful operator a {@code RowOperator}. Columns keep Catalyst's attribute ids, so captured
 * expressions bind as they are.
 *
 * <p><b>Run</b> (every barrier): {@code SourceSplitter} takes the batch apart, {@code SourceRows}
 * numbers each source's rows, {@code Barrier} builds one RDD an operator, {@code OperatorTask}
 * opens the partition's state at its base, lets the operator run and commits, {@code TaskReport}s
 * travel through an accumulator, {@code Results} puts them together.
 *
 * <p>Invariants. Each operator runs in one job of a barrier. A task commits only after its result
 * was taken to the end, and twice if it runs twice: both commits are whole, the driver names one. A
 * partition without input is left alone, and so is an operator none of whose sources has news.
 * Rows of an operator that several read are kept for the barrier, so no state is written by way of
 * two readers.
 */
package io.groundswell.spark.views.dataflow;
