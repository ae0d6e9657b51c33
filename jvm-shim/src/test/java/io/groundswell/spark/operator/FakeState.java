package io.groundswell.spark.operator;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.engine.Reader;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A store in memory that does what the engine's contract says, in the simplest way. */
final class FakeState implements TestState {
  private TreeMap<String, Table> tables = new TreeMap<>();
  private long version;

  @Override
  public Transaction begin() {
    return new View(copy(tables));
  }

  @Override
  public Snapshot snapshot() {
    return new View(copy(tables));
  }

  private static TreeMap<String, Table> copy(Map<String, Table> from) {
    TreeMap<String, Table> copied = new TreeMap<>();
    from.forEach((name, table) -> copied.put(name, new Table(table.spec, table.copyRows())));
    return copied;
  }

  private record Table(TableSpec spec, TreeMap<byte[], byte[]> rows) {
    TreeMap<byte[], byte[]> copyRows() {
      TreeMap<byte[], byte[]> copied = new TreeMap<>(Arrays::compareUnsigned);
      copied.putAll(rows);
      return copied;
    }
  }

  private final class View implements Transaction, Snapshot {
    private final TreeMap<String, Table> now;

    View(TreeMap<String, Table> now) {
      this.now = now;
    }

    private TreeMap<byte[], byte[]> rows(TableSpec spec) {
      Table table = now.get(spec.name());
      if (table == null || !table.spec.equals(spec)) {
        throw new EngineException(ErrorCode.INVALID_ARGUMENT, "no table " + spec);
      }
      return table.rows;
    }

    private static byte[] key(TableSpec table, int hash, byte[] key, int offset, int length) {
      boolean hashed = table.layout() == TableSpec.Layout.HASHED;
      ByteBuffer out = ByteBuffer.allocate(length + (hashed ? 4 : 0));
      if (hashed) {
        out.putInt(hash);
      }
      return out.put(key, offset, length).array();
    }

    @Override
    public boolean get(TableSpec t, int hash, byte[] key, int offset, int length, Slice out) {
      byte[] value = rows(t).get(key(t, hash, key, offset, length));
      if (value != null) {
        out.set(value, 0, value.length);
      }
      return value != null;
    }

    @Override
    public RowCursor prefix(TableSpec t, int hash, byte[] prefix, int offset, int length) {
      byte[] from = key(t, hash, prefix, offset, length);
      List<Map.Entry<byte[], byte[]>> found =
          rows(t).tailMap(from).entrySet().stream()
              .takeWhile(
                  e -> e.getKey().length >= from.length
                      && Arrays.equals(e.getKey(), 0, from.length, from, 0, from.length))
              .map(e -> Map.entry(e.getKey(), e.getValue()))
              .toList();
      return new Cursor(t, found.iterator());
    }

    @Override
    public RowCursor range(TableSpec table, byte[] lower, byte[] upper) {
      throw new UnsupportedOperationException();
    }

    @Override
    public RowCursor scan(TableSpec t) {
      return prefixAll(t);
    }

    private RowCursor prefixAll(TableSpec t) {
      return new Cursor(t, new TreeMap<>(rows(t)).entrySet().iterator());
    }

    @Override
    public TableSpec createTable(String name, TableSpec.Layout layout, boolean counted) {
      TableSpec spec = new TableSpec(now.size(), name, layout, counted);
      return now.computeIfAbsent(
              name, n -> new Table(spec, new TreeMap<>(Arrays::compareUnsigned)))
          .spec;
    }

    @Override
    public boolean dropTable(String name) {
      return now.remove(name) != null;
    }

    @Override
    public void put(
        TableSpec t, int hash, byte[] key, int offset, int length, byte[] value, int valueOffset,
        int valueLength) {
      rows(t).put(
          key(t, hash, key, offset, length),
          Arrays.copyOfRange(value, valueOffset, valueOffset + valueLength));
    }

    @Override
    public void delete(TableSpec t, int hash, byte[] key, int offset, int length) {
      rows(t).remove(key(t, hash, key, offset, length));
    }

    @Override
    public long count(TableSpec table) {
      return rows(table).size();
    }

    @Override
    public Commit commit() {
      tables = now;
      version++;
      return new Commit(version, "fake", "fake", 0, 0);
    }

    @Override
    public TableSpec table(String name) {
      return now.containsKey(name) ? now.get(name).spec : null;
    }

    @Override
    public Collection<TableSpec> tables() {
      return now.values().stream().map(Table::spec).toList();
    }

    @Override
    public long baseVersion() {
      return version;
    }

    @Override
    public String baseId() {
      return "fake";
    }

    @Override
    public long memoryBytes() {
      return 0;
    }

    @Override
    public void abort() {}

    @Override
    public long version() {
      return version;
    }

    @Override
    public String id() {
      return "fake";
    }

    @Override
    public Reader asOf(long epoch) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private static final class Cursor extends RowCursor {
    private final TableSpec table;
    private final Iterator<Map.Entry<byte[], byte[]>> rows;
    private final Slice key = new Slice();
    private final Slice value = new Slice();
    private byte[] current;

    Cursor(TableSpec table, Iterator<Map.Entry<byte[], byte[]>> rows) {
      this.table = table;
      this.rows = rows;
    }

    @Override
    public boolean next() {
      if (!rows.hasNext()) {
        return false;
      }
      Map.Entry<byte[], byte[]> row = rows.next();
      current = row.getKey();
      int start = table.layout() == TableSpec.Layout.HASHED ? 4 : 0;
      key.set(current, start, current.length - start);
      value.set(row.getValue(), 0, row.getValue().length);
      return true;
    }

    @Override
    public Slice key() {
      return key;
    }

    @Override
    public int hash() {
      return ByteBuffer.wrap(current).getInt();
    }

    @Override
    public Slice value() {
      return value;
    }

    @Override
    public long epoch() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
