/**
 * From a plan, as Python wrote it, to nodes: {@code Compiler} ({@code Columns}: captured
 * attributes,
 * {@code Steps}: stateless chains, {@code Tracking}: what sinks are owed, {@code Origins}: what
 * rows are called when they fail).
 */
package io.groundswell.spark.views.dataflow.compile;
