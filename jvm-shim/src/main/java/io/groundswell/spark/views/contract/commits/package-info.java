/**
 * Commits that reads of state and other work name. {@code tools/contract.py} writes the records.
 */
package io.groundswell.spark.views.contract.commits;
