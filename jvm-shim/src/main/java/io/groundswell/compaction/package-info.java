/**
 * The work on the LSM tree: in the background, on immutable files.
 *
 * <p>Roles: {@link io.groundswell.compaction.CompactionPicker} and the pickers behind it decide,
 * {@code LevelTargets} says how large levels should be and {@code PickValidator} what must never be
 * done (all pure); a {@code CompactionTask} is what was decided, with its {@code CutPlan};
 * {@link io.groundswell.compaction.Compactor} does it under the rules of {@code Retention};
 * {@code CompactionResult} is what came of it, and knows which versions may take it in;
 * {@link io.groundswell.compaction.BackgroundCompaction} holds one store's tasks and results,
 * {@link io.groundswell.compaction.CompactionExecutor} the threads of all stores.
 *
 * <p>Flow: a commit makes version n; pickers look at it; merges run while batches go on; a later
 * commit whose base still has the inputs where the order of runs wants them replaces them in its
 * manifest by the results. No version changes in place, so a merge that fails, is cut off or comes
 * too late costs work only.
 *
 * <p>To change when merges happen, open the pickers; what they may drop,
 * {@code Retention}.
 */
package io.groundswell.compaction;
