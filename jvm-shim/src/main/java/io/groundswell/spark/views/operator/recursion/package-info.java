/**
 * The least fixed point of a query that reads its own rows, kept while its inputs change.
 *
 * <p>A row has a level: the length of its shortest derivation. A barrier goes through the levels,
 * lowest first, one run of the dataflow each; what a level holds depends on lower ones alone. So
 * rows that only derive each other lose their last level, and go. The method is that of
 * differential dataflow with its inner time, the round, as a column (McSherry, Murray, Isaacs,
 * Isard: Differential dataflow, CIDR 2013).
 */
package io.groundswell.spark.views.operator.recursion;
