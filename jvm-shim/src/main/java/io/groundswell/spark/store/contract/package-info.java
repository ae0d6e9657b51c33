/**
 * The documents of the store half: plans of migrations, and what came of them. {@code
 * tools/contract.py} writes the records.
 */
package io.groundswell.spark.store.contract;
