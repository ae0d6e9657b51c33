/**
 * Spark's own checkpoint files (offsets, commits, metadata), faster on a local disk.
 *
 * <p>Hadoop's local file system starts a process ({@code chmod}) for every file it creates, several
 * a batch. {@link io.groundswell.spark.checkpoint.FastCheckpointFileManager} is what Spark
 * instantiates; it sends each path to {@link
 * io.groundswell.spark.checkpoint.LocalCheckpointFileManager} ({@code file:}) or to the manager
 * that Spark would have chosen itself (every other scheme).
 *
 * <p>Invariants: a file appears whole under its name or not at all; without leave to overwrite, of
 * two writers one gets {@code FileAlreadyExistsException}; checksum files ({@code .name.crc}) that
 * Hadoop's local file system left are never shown, and go with the file they belong to, so that
 * either manager reads a checkpoint of the other.
 */
package io.groundswell.spark.checkpoint;
