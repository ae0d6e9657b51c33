package io.groundswell.engine;

import io.groundswell.checkpoint.Destination;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.iter.EntryCursor;
import io.groundswell.key.KeyRange;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.memtable.MemTable;
import io.groundswell.memtable.MemTableCursor;
import io.groundswell.memtable.MemoryBudget;
import io.groundswell.sst.SstWriter;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.Mark;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Run;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A batch: a mem-table, over what was spilled of it, over the files of the base version. */
final class StoreTransaction extends StoreReader implements Transaction {
  /** Keys that were read and not written are remembered up to this many. */
  private static final int LEARN_LIMIT = 1 << 18;

  /** The budget is asked once in so many writes, and after each of a large value. */
  private static final int ASK_EVERY = 16;

  private static final int LARGE_VALUE = 32 << 10;

  private enum State { OPEN, COMMITTED, ABORTED }

  private final EpochStore store;
  private final MemoryBudget.Share share;
  private final SpilledRows spilled;

  /** What spilled mem-tables changed in the number of live keys, by table. */
  private final Map<Integer, Long> spilledDeltas = new HashMap<>();

  private MemTable written; // null when the batch has ended: it may be referred to for longer
  private Catalogue tables;
  private State state = State.OPEN;
  private boolean learns = true;
  private int writes;
  private int openScans;

  StoreTransaction(EpochStore store, OpenVersion base, MemoryBudget.Share share) {
    super(base, store.location(), base.version.number() + 1);
    this.store = store;
    this.share = share;
    spilled = new SpilledRows(store, epoch);
    written = new MemTable(epoch);
    tables = base.version.tables();
  }

  SpilledRows spilled() {
    return spilled;
  }

  MemTable written() {
    return written;
  }

  @Override
  Catalogue catalogue() {
    return tables;
  }

  @Override
  public long baseVersion() {
    return base.version.number();
  }

  @Override
  public String baseId() {
    return base.version.id();
  }

  @Override
  public TableSpec createTable(String name, TableSpec.Layout layout, boolean counted) {
    checkOpen();
    TableSpec existing = tables.byName(name);
    if (existing == null) {
      tables = tables.with(name, layout, counted);
      return tables.byName(name);
    }
    if (existing.layout() != layout || existing.counted() != counted) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "table '" + name + "' of the store at " + location + " is " + existing.layout()
              + (existing.counted() ? ", counted" : ", not counted") + "; it cannot become "
              + layout + (counted ? ", counted" : ", not counted") + " unless it is dropped first");
    }
    return existing;
  }

  @Override
  public boolean dropTable(String name) {
    checkOpen();
    TableSpec table = tables.byName(name);
    if (table == null) {
      return false;
    }
    tables = tables.without(name);
    written.drop(table.id());
    tablesChanged();
    return true;
  }

  @Override
  public boolean get(TableSpec table, int hash, byte[] key, int offset, int length, Slice out) {
    check(table);
    files.counters.gets++;
    if (watermark(table).hides(key, offset, length)) {
      Mark.GET_BELOW_WATERMARK.hit();
      return false;
    }
    stem.set(table, hash, key, offset, length);
    int row = !learns && written.size() == 0 ? -1 : written.find(stem.bytes, stem.length);
    if (row >= 0) {
      int own = written.own(row);
      if (own == MemTable.PUT) {
        out.set(written.valueBytes(row), written.valueOffset(row), written.valueLength(row));
        return true;
      }
      if (own == MemTable.DELETE || written.base(row) == MemTable.ABSENT) {
        return false;
      }
    }
    if (!inFiles(table)) {
      return false;
    }
    boolean present = files.get(table.id(), hash, stem.bytes, stem.length, found);
    if (row < 0 && learns && written.size() < LEARN_LIMIT) {
      row = written.add(stem.bytes, stem.length);
    }
    if (row >= 0) {
      written.learn(row, present);
    }
    if (present) {
      out.set(found.value, found.offset, found.length);
    }
    return present;
  }

  @Override
  public RowCursor prefixBefore(TableSpec table, int hash, byte[] prefix, int offset, int length) {
    check(table);
    if (table.layout() != TableSpec.Layout.HASHED || !FastPath.UNWRITTEN_ROWS.isOpen()) {
      return prefix(table, hash, prefix, offset, length);
    }
    files.counters.scans++;
    KeyRange range = KeyRange.prefix(table, hash, prefix, offset, length);
    List<EntryCursor> sources = new ArrayList<>();
    if (table.id() < base.version.tables().nextId()) {
      files.addCursorsBefore(table, range, hash, sources);
    }
    return VisibleRows.of(table, watermark(table), range, epoch, sources, () -> {});
  }

  @Override
  public void put(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, byte[] value,
      int valueOffset, int valueLength) {
    put(table, hash, key, keyOffset, keyLength, value, valueOffset, valueLength, MemTable.UNKNOWN);
  }

  @Override
  public void insert(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength,
      byte[] value, int valueOffset, int valueLength) {
    put(table, hash, key, keyOffset, keyLength, value, valueOffset, valueLength, MemTable.ABSENT);
  }

  @Override
  public void replace(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength,
      byte[] value, int valueOffset, int valueLength) {
    put(table, hash, key, keyOffset, keyLength, value, valueOffset, valueLength, MemTable.PRESENT);
  }

  private void put(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength,
      byte[] value, int valueOffset, int valueLength, int known) {
    check(table);
    if (valueLength > SstWriter.MAX_VALUE) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "a value of " + valueLength + " bytes for table '" + table.name() + "'; the limit is "
              + SstWriter.MAX_VALUE);
    }
    if (watermark(table).hides(key, keyOffset, keyLength)) {
      Mark.PUT_BELOW_WATERMARK.hit();
      return;
    }
    stem.set(table, hash, key, keyOffset, keyLength);
    int row = written.find(stem.bytes, stem.length);
    if (row < 0) {
      row = written.add(stem.bytes, stem.length);
    }
    // What is known of a key that the batch has deleted unseen is not known of its base.
    if (written.base(row) == MemTable.UNKNOWN && written.own(row) == MemTable.NOTHING) {
      if (known != MemTable.UNKNOWN || !inFiles(table)) {
        written.learn(row, known == MemTable.PRESENT);
      } else if (table.counted()) {
        written.learn(row, files.get(table.id(), hash, stem.bytes, stem.length, found));
      }
    }
    written.put(row, value, valueOffset, valueLength);
    wrote(valueLength);
  }

  @Override
  public void delete(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength) {
    delete(table, hash, key, keyOffset, keyLength, false);
  }

  @Override
  public void remove(TableSpec table, int hash, byte[] key, int keyOffset, int keyLength) {
    delete(table, hash, key, keyOffset, keyLength, true);
  }

  private void delete(
      TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, boolean isLive) {
    check(table);
    if (watermark(table).hides(key, keyOffset, keyLength)) {
      Mark.DELETE_BELOW_WATERMARK.hit();
      return;
    }
    stem.set(table, hash, key, keyOffset, keyLength);
    int row = written.find(stem.bytes, stem.length);
    if (row < 0 || written.base(row) == MemTable.UNKNOWN) {
      boolean present = isLive || inFiles(table) && maybePresent(table, hash);
      if (row < 0 && !present) {
        return;
      }
      if (row < 0) {
        row = written.add(stem.bytes, stem.length);
      }
      if (table.counted() || !present) {
        written.learn(row, present);
      }
    }
    written.delete(row);
    wrote(0);
  }

  /** Exact for counted tables; for others a filter's word, which costs a needless tombstone. */
  private boolean maybePresent(TableSpec table, int hash) {
    return table.counted() ? files.get(table.id(), hash, stem.bytes, stem.length, found)
                           : files.mayContain(table.id(), hash, stem.bytes, stem.length);
  }

  private void wrote(int valueLength) {
    if ((++writes % ASK_EVERY == 0 || valueLength > LARGE_VALUE)
        && share.exceededBy(written.memoryBytes())) {
      spill();
      share.exceededBy(written.memoryBytes());
    }
  }

  /** Open scans go on over the old mem-table; nothing is written to it any more. */
  private void spill() {
    if (spilled.add(written, tables)) {
      if (spilled.readers().length >= SpilledRows.MAX_RUNS) {
        Mark.SPILL_MERGED_EARLY.hit();
        spilled.merge(base.version, tables, base.version.runs().isEmpty());
      }
      files.own(spilled.readers());
    }
    for (TableSpec table : tables.specs()) {
      spilledDeltas.merge(table.id(), written.liveDelta(table.id()), Long::sum);
    }
    written = new MemTable(epoch);
  }

  /** The rows of the batch as one run of files, if some were spilled; else null. */
  Run ownRun() {
    if (spilled.isEmpty()) {
      return null;
    }
    spill();
    Run run = spilled.merge(base.version, tables, base.version.runs().isEmpty());
    if (run != null) {
      spilled.publishing(run);
    }
    return run;
  }

  @Override
  EntryCursor ownRows(TableSpec table) {
    openScans++;
    return written.cursor(table.id());
  }

  @Override
  void ended(EntryCursor ownRows) {
    openScans--;
    if (ownRows instanceof MemTableCursor own) {
      own.close();
    }
  }

  @Override
  boolean inFiles(TableSpec table) {
    return !files.isEmpty() && (table.id() < base.version.tables().nextId() || !spilled.isEmpty());
  }

  @Override
  public long count(TableSpec table) {
    return liveKeys(table) + liveDelta(table);
  }

  private long liveDelta(TableSpec table) {
    return written.liveDelta(table.id()) + spilledDeltas.getOrDefault(table.id(), 0L);
  }

  @Override
  public boolean watermark(TableSpec table, byte[] userKeyBound) {
    check(table);
    Watermark moved = new Watermark(userKeyBound);
    if (watermark(table).covers(moved)) {
      return false;
    }
    tables = tables.withWatermark(table.id(), moved);
    return true;
  }

  @Override
  public void learnFromReads(boolean learn) {
    learns = learn;
  }

  @Override
  public long memoryBytes() {
    MemTable open = written; // asked for by other threads, too
    return open == null ? 0 : open.memoryBytes();
  }

  @Override
  public Commit commit(Destination to) {
    checkOpen();
    state = State.ABORTED; // unless it succeeds: a batch is not tried twice
    try {
      Commit commit = store.commit(this, withCounts(), to);
      state = State.COMMITTED;
      return commit;
    } finally {
      end();
    }
  }

  private Catalogue withCounts() {
    List<Catalogue.Entry> entries = new ArrayList<>();
    for (Catalogue.Entry entry : tables.entries()) {
      TableSpec spec = entry.spec();
      long live = spec.counted() ? entry.liveKeys() + liveDelta(spec) : 0;
      entries.add(new Catalogue.Entry(spec, live, entry.watermark()));
    }
    return new Catalogue(entries, tables.nextId());
  }

  @Override
  public void abort() {
    if (state == State.OPEN) {
      state = State.ABORTED;
      end();
    }
  }

  private void end() {
    written = null;
    share.close();
    if (openScans == 0) { // else retirement deletes what was spilled
      spilled.close();
    }
    store.ended(this);
  }

  @Override
  public void close() {
    abort();
  }

  @Override
  void checkOpen() {
    if (state != State.OPEN) {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "the batch on version " + baseVersion() + " of the store at " + location + " is "
              + state.name().toLowerCase(java.util.Locale.ROOT));
    }
  }
}
