/**
 * Spark's own checkpoint files (offsets, commits, metadata), faster on a local disk; and commits of
 * stores that become durable after their task, before Spark records the batch.
 *
 * <p>Hadoop's local file system starts a process ({@code chmod}) for every file it creates, several
 * a batch. {@link io.groundswell.spark.store.checkpoint.FastCheckpointFileManager} is what Spark
 * instantiates; it sends each path to {@link
 * io.groundswell.spark.store.checkpoint.LocalCheckpointFileManager} ({@code file:}) or to the
 * manager that Spark would have chosen itself (every other scheme).
 *
 * <p>Asynchronous commits, with the plugin: {@link
 * io.groundswell.spark.store.checkpoint.ExecutorCheckpoints} seals what tasks commit and uploads it
 * when asked; {@link io.groundswell.spark.store.checkpoint.DriverCheckpoints} is told of each
 * commit before its task ends, and makes the file manager of a commit log wait; {@code Messages} is
 * what they say. A run may defer only after its own commit log was seen to pass through our file
 * manager, so its first batch is always synchronous. docs/rfcs/0003 has the protocol.
 *
 * <p>Invariants: a file appears whole under its name or not at all; without leave to overwrite, of
 * two writers one gets {@code FileAlreadyExistsException}; checksum files ({@code .name.crc}) that
 * Hadoop's local file system left are never shown, and go with the file they belong to, so that
 * either manager reads a checkpoint of the other.
 */
package io.groundswell.spark.store.checkpoint;
