/**
 * Moves the state of a stopped query: from another provider, or to another number of partitions.
 *
 * <p>Roles: {@link io.groundswell.spark.store.contract.MigrationPlan} says what there is, as Python
 * read it from the checkpoint; {@link io.groundswell.spark.store.migrate.StateExtract} reads one
 * partition of the old state through its own provider, whichever that is; {@link
 * io.groundswell.spark.store.migrate.StateLoad} writes one partition of the new one; {@link
 * io.groundswell.spark.store.migrate.StateMigration} is the Spark job between them.
 *
 * <p>Invariants: the old checkpoint is only read. A row's new partition is what Spark's
 * HashPartitioning gives for the columns that the operator is distributed by. Every new store has
 * exactly one version, the one that the query's next batch starts from.
 */
package io.groundswell.spark.store.migrate;
