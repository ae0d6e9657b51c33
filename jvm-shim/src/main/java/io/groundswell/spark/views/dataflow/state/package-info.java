/**
 * Stores of operators, and the commits that a barrier names: {@code CommitRef} (one partition's
 * commit), {@code TaskReport} (what a task tells the driver), {@code
 * TaskClock} (how long it took), {@code StoreRegistry} (open stores of
 * this process), {@code AheadCommits}, {@code AheadFolder} and {@code HeldWriter} (commits that are
 * made durable at a later barrier), {@code SnapshotRdd}, {@code SnapshotRows}, {@code ViewRows} and
 * {@code StateReads} (what a state holds at an epoch).
 */
package io.groundswell.spark.views.dataflow.state;
