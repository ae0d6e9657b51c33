/**
 * The documents that cross between Python and the JVM, one record each.
 *
 * <p>Roles: the records ({@code tools/contract.py} writes them from Python's package of the same
 * name, which is the one source), {@code Documents} (reads and writes them as JSON), {@code Checks}
 * (what their constructors refuse), {@code ContractVersion} (Python compares it with its own).
 *
 * <p>Captured queries and the dataflow have packages of their own.
 *
 * <p>Invariant: a document has exactly the fields of its record. A missing field, an unknown one,
 * or a null that the record does not allow is refused. No other class reads the JSON of a document.
 */
package io.groundswell.spark.views.contract;
