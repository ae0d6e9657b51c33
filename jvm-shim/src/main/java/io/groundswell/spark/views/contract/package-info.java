/**
 * The documents of views that cross between Python and the JVM, one record each.
 *
 * <p>Roles: the records in the packages below ({@code tools/contract.py} writes them from Python's
 * package of the same name, which is the one source), {@code ContractVersion} (Python compares it
 * with its own).
 *
 * <p>Each module or room of Python's package is a package here.
 */
package io.groundswell.spark.views.contract;
