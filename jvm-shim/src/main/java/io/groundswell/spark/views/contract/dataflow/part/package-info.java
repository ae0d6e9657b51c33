/**
 * What operators and steps name: columns, bounds, calls. {@code tools/contract.py} writes all of
 * them.
 */
package io.groundswell.spark.views.contract.dataflow.part;
