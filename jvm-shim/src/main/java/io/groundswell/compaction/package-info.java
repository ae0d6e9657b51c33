/**
 * Merging of sub-levels, in the background, on immutable files.
 *
 * <p>Roles: {@link io.groundswell.compaction.CompactionPicker} decides (pure);
 * {@link io.groundswell.compaction.CompactionTask} is what was decided;
 * {@link io.groundswell.compaction.Compactor} does it under the rules of {@code Retention};
 * {@link io.groundswell.compaction.CompactionResult} is what came of it, and knows which versions
 * may take it in; {@link io.groundswell.compaction.BackgroundCompaction} holds one store's merge
 * and result, {@link io.groundswell.compaction.CompactionExecutor} the threads of all stores.
 *
 * <p>Flow: a commit makes version n; the picker looks at it; a merge runs while batches go on; the
 * next commit whose base still holds exactly the inputs replaces them in its manifest by the
 * result. No version changes in place, so a merge that fails, is cut off or comes too late costs
 * work only.
 *
 * <p>To change when merges happen, open {@code CompactionPicker}; what they may drop,
 * {@code Retention}.
 */
package io.groundswell.compaction;
