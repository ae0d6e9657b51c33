/**
 * Window functions: {@code WindowOperator} computes a partition's changed stretch anew. {@code
 * WindowReach} says how far a change can be seen, {@code WindowRuns} finds the stretches, {@code
 * WindowRows} and {@code WindowSlices} keep the partition ({@code WindowState}, {@code
 * WindowKeys}),
 * {@code SessionRuns} and {@code ClosedSessions} are windows that rows open and time closes.
 */
package io.groundswell.spark.views.operator.window;
