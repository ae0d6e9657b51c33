/**
 * Cursors over entries and the rows they make.
 *
 * <p>Roles: {@link io.groundswell.iter.EntryCursor} is what every source of entries offers (table
 * in memory, file); {@link io.groundswell.iter.MergeCursor} makes one of many;
 * {@link io.groundswell.iter.VisibleCursor} picks what an epoch sees;
 * {@link io.groundswell.iter.LookupResult} is a point read's answer.
 *
 * <p>Flow: sources, newest first -&gt; merge -&gt; visible rows -&gt; the engine's row cursor;
 * compaction reads the merge itself. Invariant: a cursor's key bytes are reused, its value bytes
 * never are.
 */
package io.groundswell.iter;
