/**
 * What depends on Spark's version or on Scala's calling conventions: constructors of Catalyst
 * nodes, collections, partial functions, static members and errors of the state store. Everything
 * else in
 * {@code spark} is written against names that have been stable for years.
 *
 * <p>Roles: {@link io.groundswell.spark.shims.Scala} (collections and functions), {@link
 * io.groundswell.spark.shims.Catalyst} (constructors and session entry points), {@link
 * io.groundswell.spark.shims.SparkErrors} (the state store's named errors), {@link
 * io.groundswell.spark.shims.Coordinator} (what a store reports to the driver), {@link
 * io.groundswell.spark.shims.SnapshotMetric}, {@link
 * io.groundswell.spark.shims.SpillFile} (files in Spark's local folders), {@link
 * io.groundswell.spark.shims.MemoryReport} (bytes that we hold, for Spark's memory manager).
 *
 * <p>Built against 4.3 and meant to load on 4.2: a name that 4.2 lacks may stand in a method's body
 * here, but in no signature that is resolved when a state store's class is loaded.
 */
package io.groundswell.spark.shims;
