/**
 * Everything Python calls for incremental views. JSON, DataFrames and handles cross; expressions
 * and rows never do.
 *
 * <p>In the order of use: {@link io.groundswell.spark.views.entry.Placeholders} (an empty batch
 * relation for a stream, so that any SQL analyses), {@link
 * io.groundswell.spark.views.entry.PlanCapture} (queries, optimised and described), {@link
 * io.groundswell.spark.views.entry.Dataflow} (what Python planned, compiled), {@link
 * io.groundswell.spark.views.entry.SourceUnion} and {@link
 * io.groundswell.spark.views.entry.BarrierSinkProvider} (one streaming query over all sources,
 * whose micro-batches are barriers), {@link io.groundswell.spark.views.entry.BarrierHandler}
 * (Python's end of it, called through {@link io.groundswell.spark.views.entry.PythonPort}), {@link
 * io.groundswell.spark.views.entry.Views} (what the state holds, as DataFrames). {@link
 * io.groundswell.spark.views.entry.PythonStreamProvider} reads streams that Python knows how to.
 *
 * <p>Behind it: {@link io.groundswell.spark.views.capture} describes, {@link
 * io.groundswell.spark.views.dataflow} runs, {@link io.groundswell.spark.views.operator} computes.
 * The contract is docs/rfcs/0002-dataflow.md.
 *
 * <p>Invariants: capturing a query reads no row; running a barrier makes it durable and leaves it
 * to the caller to make it visible, so a barrier that failed, at any point, can run again.
 */
package io.groundswell.spark.views.entry;
