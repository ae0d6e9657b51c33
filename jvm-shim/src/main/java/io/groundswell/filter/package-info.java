/**
 * Filters that let reads skip files.
 *
 * <p>Roles: {@link io.groundswell.filter.BloomBuilder} collects the (table, partition hash) pairs
 * of a file's rows, {@link io.groundswell.filter.BloomFilter} answers for them, asked by a
 * {@link io.groundswell.filter.FilterKey}. The partition hash
 * covers what reads bind (a group key, a join key), so the same filter serves point reads and
 * prefix scans.
 *
 * <p>The filter is a split-block Bloom filter: a key sets 8 bits in one block of 256, so a probe
 * costs one cache line. At 10 bits a key 1 probe in 80 for an absent pair passes, at 16 one
 * in 760 (a test measures both). Invariant: what was added is always found.
 */
package io.groundswell.filter;
