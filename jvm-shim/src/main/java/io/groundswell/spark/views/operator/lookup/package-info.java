/**
 * Shared indexes and what reads them: {@code ArrangeOperator} keeps an index ({@code IndexLayout},
 * {@code IndexRows}; {@code FrequentKeys} counts), {@code LookupOperator} is
 * one term of a delta join ({@code LookupPairs}: inner, {@code LookupMatches}: outer, semi, anti;
 * {@code LookupSlices}: a key's rows), {@code TemporalJoinOperator} looks rows up as of now, {@code
 * PointRead} reads a view or an index by key from outside.
 */
package io.groundswell.spark.views.operator.lookup;
