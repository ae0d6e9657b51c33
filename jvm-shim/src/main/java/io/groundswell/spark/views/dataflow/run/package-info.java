/**
 * One barrier: {@code Barrier} builds one RDD a {@code Node} ({@code Nodes} has one class a kind),
 * {@code Segment} is a stateless chain of Spark's, {@code Input} an edge, {@code OperatorTask} runs
 * an operator over a partition and commits it, to where {@code checkpoint.FlushPolicy} says,
 * {@code Results} puts the tasks' reports together, {@code Rounds} runs recursions.
 * {@code RowOrigin} and {@code OperatorException} name the row that failed.
 */
package io.groundswell.spark.views.dataflow.run;
