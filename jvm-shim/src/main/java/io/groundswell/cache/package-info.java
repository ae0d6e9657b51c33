/**
 * The block cache: everything that is kept of files, for all stores of the JVM, under one hard
 * bound of bytes.
 *
 * <p>Roles: {@link io.groundswell.cache.BlockCache} holds the bound and evicts by the clock (second
 * chance) algorithm; {@link io.groundswell.cache.CachedFile} is one file's row of slots;
 * {@link io.groundswell.cache.CacheEntry} is what a slot holds: a data block, or a file's index
 * and filter.
 *
 * <p>A hit takes no lock and no hash: a reader keeps its {@code CachedFile} and looks into a slot;
 * eviction empties the slot. Blocks that were read once (a scan) go before those that were
 * touched again. Invariant: the weights of what slots hold never add up to more than the bound;
 * room is made before an entry goes in. What a reader still works on after its eviction is the
 * reader's own.
 */
package io.groundswell.cache;
