/**
 * Sorted string tables: the immutable files of entries. docs/format.md describes every byte.
 *
 * <p>Roles: {@link io.groundswell.sst.SstWriter} writes a section (data blocks | index | filter |
 * properties | footer) into an object and returns its {@link io.groundswell.sst.SstInfo}, the
 * manifest's record; {@link io.groundswell.sst.SstReader} answers point reads from it and makes
 * {@link io.groundswell.sst.SstCursor}s. Below them, a class for each part of the file: {@code
 * Frame} (checksum and compression of every part), {@code BlockBuilder}/{@code Block}/{@code
 * BlockEntry},
 * {@code HashGroups} (the directory), {@code PointSearch}, {@code SstIndex}, {@code Properties},
 * {@code SstFooter}, {@code SstTail} (what is read when a file is first used).
 *
 * <p>Flow of a point read: filter -&gt; index (array of longs) -&gt; cache slot -&gt; the block's
 * directory of partition hashes, or its restart points -&gt; entry; it allocates nothing and copies
 * nothing, values are slices of block bytes. A block that is not in the cache is read alone, into a
 * buffer of the reader's if the cache does not admit it; where requests are slow, {@code
 * ReadAround} brings as many neighbours along as {@code FetchPlan} says.
 *
 * <p>Invariants: entries grow strictly in internal-key order; a look-up never has to try two blocks
 * (see {@code SstWriter.startBlock}); whatever bytes a file has, reading raises nothing but an
 * {@code EngineException} and never shows a row that was not written.
 */
package io.groundswell.sst;
