/**
 * The store as its users see it: the Spark adapter and the operators import this package and {@code
 * key.TableSpec}, nothing below.
 *
 * <p>Roles: {@link io.groundswell.engine.EpochStore} is one folder's store; it gives out {@link
 * io.groundswell.engine.Snapshot}s and {@link io.groundswell.engine.Transaction}s, both {@link
 * io.groundswell.engine.Reader}s. {@link io.groundswell.engine.EngineServices} is what the stores
 * of a JVM share. Behind them: {@code VersionLog} finds and opens versions, {@code OpenReaders}
 * knows what is open and retained, {@code CommitPlan} decides what a commit will be, {@code
 * CommitRegion} writes its bytes to any stream, {@code CommitWriter} publishes them as one object,
 * {@code Retirement} deletes what is no longer needed; {@code BaseReads} and {@code VisibleRows}
 * read.
 *
 * <p>Invariants: a version is one commit object and what its manifest refers to, all immutable; a
 * commit refers only to files that were complete before it; what an open reader of this store
 * object needs is not deleted by it. An object of this package is used by one thread at a time,
 * except
 * {@code EpochStore} and {@code EngineServices}.
 *
 * <p>Flow of a batch: {@code begin} opens the base; gets look into the mem-table, then into the
 * base's sub-levels, newest first; {@code commit} takes in a finished merge if there is one, writes
 * rows and manifest as one object, remembers the new version, and asks the picker for the next
 * merge. docs/internals/engine.md has the paths in full.
 */
package io.groundswell.engine;
