/**
 * Stores of operators, and the commits that a barrier names: {@code Commits} (of the partitions of
 * a state), {@code TaskReport} (what a task tells the driver), {@code TaskClock} (how long it
 * took),
 * {@code StoreRegistry} (open stores of this process), {@code PendingCommits}, {@code
 * PendingFolder} and
 * {@code BufferedWriter} (commits that are made durable at a later barrier), {@code TaskPacks},
 * {@code SharedPacks} and
 * {@code PackNeeds} (commits of a task or a process in one object, and which of these stay), {@code
 * StateNames},
 * {@code Retiring} (deletes
 * what nobody needs, beside the barriers), {@code SnapshotRdd}, {@code SnapshotRows}, {@code
 * ViewRows} and
 * {@code StateReads} (what a state holds at an epoch).
 */
package io.groundswell.spark.views.dataflow.state;
