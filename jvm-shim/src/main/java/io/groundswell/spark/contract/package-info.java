/**
 * What all documents between Python and the JVM have in common: {@code Documents} reads and writes
 * them as JSON, {@code Checks} is what their constructors refuse.
 *
 * <p>The documents themselves stand in the half of the code that they are of: {@code
 * views.contract}, {@code store.contract}.
 *
 * <p>Invariant: a document has exactly the fields of its record. A missing field, an unknown one,
 * or a null that the record does not allow is refused. No other class reads the JSON of a document.
 */
package io.groundswell.spark.contract;
