/**
 * Gives the states of a dataflow another number of partitions: each of the new ones is written by
 * a task that reads those before which have rows of its own.
 */
package io.groundswell.spark.views.dataflow.rescale;
