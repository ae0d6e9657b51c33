/**
 * The engine behind Spark's state store interface.
 *
 * <p>Roles: {@link io.groundswell.spark.store.provider.EpochStoreProvider} stands for one partition
 * of one store of one operator and owns its {@code EpochStore}; {@link
 * io.groundswell.spark.store.provider.EpochStateStore} is one batch (a transaction), {@link
 * io.groundswell.spark.store.provider.StateReads} its reading half; {@link
 * io.groundswell.spark.store.provider.Lifecycle} says which calls fit; {@link
 * io.groundswell.spark.store.provider.Families} knows the column families, each a table of the
 * store; {@link io.groundswell.spark.store.provider.StateChanges} tells what versions changed, from
 * them or, where Spark's option asks for each step, from what {@link
 * io.groundswell.spark.store.provider.StepLog} kept; {@link
 * io.groundswell.spark.store.provider.SparkSettings} reads the options.
 *
 * <p>Flow of a batch: Spark asks for a store at version N (a read store is a transaction, too, so
 * that it can turn into the write store and what its gets found is known to its puts); gets and
 * puts encode rows and call the transaction; {@code commit} makes one durable object, N + 1. The
 * store listens for its task's end and gives up whatever is still open then.
 *
 * <p>Invariants: a store may be used from any thread, one at a time; nothing is written before
 * {@code commit}; returned rows point into immutable bytes and stay as they are; two stores at one
 * version never see each other; nothing here lists or deletes files, the engine does, by its own
 * name patterns.
 *
 * <p>{@code org.apache.spark} is imported under this package only. Class names that users put into
 * confs are thin subclasses in {@code io.groundswell}.
 */
package io.groundswell.spark.store.provider;
