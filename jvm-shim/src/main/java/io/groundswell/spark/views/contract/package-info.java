/**
 * The documents of views that cross between Python and the JVM, one record each.
 *
 * <p>Roles: the records ({@code tools/contract.py} writes them from Python's package of the same
 * name, which is the one source), {@code ContractVersion} (Python compares it with its own).
 *
 * <p>Captured queries and the dataflow have packages of their own.
 */
package io.groundswell.spark.views.contract;
