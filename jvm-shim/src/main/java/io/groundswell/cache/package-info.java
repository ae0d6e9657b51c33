/**
 * The block cache: everything that is kept of files, for all stores of the JVM, under one hard
 * bound of bytes.
 *
 * <p>Roles: {@link io.groundswell.cache.BlockCache} holds the bound and evicts;
 * {@link io.groundswell.cache.CachedFile} is one file's row of slots, a data block in each, and
 * what is pinned of the file: its index and filter; {@code EntryQueue} and {@code GhostTable} are
 * the queues of the eviction algorithm; {@link io.groundswell.cache.CacheCounters} counts for one
 * reader.
 *
 * <p>A hit takes no lock, no hash and no atomic write: a reader keeps its {@code CachedFile} and
 * looks into a slot; eviction empties the slot. A scan does not push out what is used: it passes
 * through the newcomers' queue. Invariant: the weights of what slots hold never add up to more than
 * the bound less what is pinned (but a quarter of the bound at least, so that many open files leave
 * something for blocks); room is made before an entry goes in. What a reader still works on after
 * its eviction is the reader's own. Once the cache is full, what is missed is put in only if it was
 * missed before, not long ago.
 */
package io.groundswell.cache;
