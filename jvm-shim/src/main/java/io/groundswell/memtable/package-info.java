/**
 * The writes of one open batch.
 *
 * <p>Roles: {@link io.groundswell.memtable.MemTable} is the API; {@code RowStore} holds rows by
 * number over an append-only {@code Arena}; {@code TableRows} lists a table's written rows and
 * {@code SortedRows} orders them once a scan asks; {@code MemTableCursor} and {@code UndoLog} give
 * a scan the state of its first moment while the batch writes on.
 *
 * <p>Invariants: a row number never changes its key; arena bytes are never overwritten, so value
 * slices handed out stay valid for ever; dead bytes are at most about half of the arena; a table's
 * list holds each row that was ever written once.
 *
 * <p>Costs: get and put one probe of the hash table; a prefix scan O(log n + matches) plus O(log n)
 * for each row written since the last scan of that table; a batch that never scans sorts once, in
 * its commit.
 */
package io.groundswell.memtable;
