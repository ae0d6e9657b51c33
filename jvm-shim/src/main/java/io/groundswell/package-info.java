/**
 * The names that users write into confs, and that Spark writes into checkpoints: {@link
 * io.groundswell.EpochStateStoreProvider}, {@link
 * io.groundswell.GroundswellCheckpointFileManager},
 * {@link io.groundswell.GroundswellPlugin}, {@link io.groundswell.GroundswellExtensions}.
 *
 * <p>Invariant: these classes are never renamed and hold no code; what they do stands in {@code
 * io.groundswell.spark}, the only package that knows Spark.
 */
package io.groundswell;
