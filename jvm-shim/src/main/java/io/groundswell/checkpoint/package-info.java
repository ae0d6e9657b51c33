/**
 * Commits that become durable after they were made, many of them in one object.
 *
 * <p>Roles: an {@link io.groundswell.checkpoint.Uploader} (one a JVM) collects the commits that
 * stores seal, one {@code Pack} for all stores of a batch, and uploads it; a {@link
 * io.groundswell.checkpoint.PackFolder} reads packs, from memory as long as they are there; a
 * {@link io.groundswell.checkpoint.BatchIndex} says where each commit of a version is; a {@link
 * io.groundswell.checkpoint.StoreSpace} is one store's view of all that. On the driver, a {@link
 * io.groundswell.checkpoint.RunLedger} holds what was sealed where and lets a batch be recorded
 * when all of it is durable and indexed, {@link io.groundswell.checkpoint.Ownership} is the claim
 * whose token fences an older run (of pipelines, too), {@link
 * io.groundswell.checkpoint.PackRetention} deletes.
 *
 * <p>Pipelines have packs of their own: {@code OpenPacks} are those that a task, or all tasks of a
 * barrier in this process, commit into, {@code EpochPack} is one of them, {@code EpochPacks} is
 * their folder, {@code EpochSpace} one store's view of it, {@code EpochPackRetention} deletes. They
 * are durable before the task, or the barrier, ends: docs/rfcs/0014.
 *
 * <p>Flow: seal (executor, memory) → register (driver) → flush (executor, storage) → index (driver,
 * storage) → the batch is recorded. docs/rfcs/0003 has the protocol and what fails how.
 *
 * <p>Invariants: a pack's bytes never change, and a commit's place in it is final when it is
 * sealed; nothing is evicted from memory before it is durable; a batch is released only if each of
 * its stores has a durable commit that the index names; batches are released in order, and none is
 * begun while an older one waits; only the owner deletes packs.
 */
package io.groundswell.checkpoint;
