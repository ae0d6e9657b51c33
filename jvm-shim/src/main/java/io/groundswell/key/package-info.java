/**
 * Internal keys: the one byte form of a key in memory and on disk, and its order.
 *
 * <p>Roles: {@link io.groundswell.key.TableSpec} names a table and where its rows carry their
 * partition hash; {@link io.groundswell.key.InternalKey} encodes, compares and takes keys apart;
 * {@link io.groundswell.key.KeyRange} is what a scan may see.
 *
 * <p>Invariant: the bytes before the epoch are ordered unsigned, the shorter of two equal prefixes
 * first; then the 8 bytes of the inverted epoch, so the newest version of a key comes first. The
 * two parts are never compared in one go: versions of a key would interleave with those of a
 * key that it is a prefix of. User keys of an {@code ORDERED} table are prefix-free.
 *
 * <p>To change the key's bytes open {@code InternalKey} and docs/format.md, and raise the format.
 */
package io.groundswell.key;
