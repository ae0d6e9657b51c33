/**
 * The only API for the engine's I/O, and what else the bytes on storage share.
 *
 * <p>Roles: {@link io.groundswell.storage.ObjectStore} is that API;
 * {@link io.groundswell.storage.ObjectStores} picks who stands behind it:
 * {@link io.groundswell.storage.LocalObjectStore} for local paths (Hadoop's local file system
 * starts a {@code chmod} process for every file), {@link io.groundswell.storage.HadoopObjectStore}
 * for the rest, on wish behind a {@link io.groundswell.storage.DiskCache}. {@link
 * io.groundswell.storage.FileNames} knows every name the engine writes;
 * {@link io.groundswell.storage.ByteWriter}, {@link io.groundswell.storage.ByteReader} and
 * {@link io.groundswell.storage.Checksum} are the words all formats are spelled with;
 * {@link io.groundswell.storage.SideRequests} lets requests to slow storage wait side by side;
 * {@link io.groundswell.storage.FailPoints} kills the process where a test asks for it.
 *
 * <p>Invariants: an object appears as a whole or not at all; objects with names of
 * {@code FileNames} never change once they are there; a reader is interrupted alone, because open
 * files are lent to one thread at a time ({@link io.groundswell.storage.HandlePool}).
 */
package io.groundswell.storage;
