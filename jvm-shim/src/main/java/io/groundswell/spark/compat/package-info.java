/**
 * What depends on Spark's version or on Scala's calling conventions: constructors of Catalyst nodes,
 * collections, partial functions. Everything else in {@code spark} is written against names that
 * have been stable for years.
 *
 * <p>Roles: {@link io.groundswell.spark.compat.Scala} (collections and functions), {@link
 * io.groundswell.spark.compat.Catalyst} (constructors and session entry points).
 */
package io.groundswell.spark.compat;
