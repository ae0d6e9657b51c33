/**
 * What a view may not contain, and what may fail.
 *
 * <p>Roles: {@code Refusals} (what only the analysed plan shows: clocks, watermarks in the wrong
 * place, values that differ whenever they are computed), {@code ClockCasts} (casts that ask the
 * clock, by what Spark's own parser makes of their constants), {@code Failing} (which expressions
 * may throw on some row). What a class of expressions may do they all ask {@code facts.FactsTable}.
 *
 * <p>Invariant: what is not known to be harmless is refused, or taken to fail.
 */
package io.groundswell.spark.views.capture.refuse;
