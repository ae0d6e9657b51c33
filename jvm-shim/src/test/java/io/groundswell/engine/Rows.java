package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Rows of text, for tests. */
final class Rows {
  private Rows() {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(Slice slice) {
    return new String(slice.bytes, slice.offset, slice.length, StandardCharsets.ISO_8859_1);
  }

  /** Hash of what reads bind: the part of the key before the first colon. */
  static int hash(String key) {
    int colon = key.indexOf(':');
    return (colon < 0 ? key : key.substring(0, colon)).hashCode() * 0x9E3779B1;
  }

  static void put(Transaction batch, TableSpec table, String key, String value) {
    byte[] k = bytes(key);
    byte[] v = bytes(value);
    batch.put(table, hash(key), k, 0, k.length, v, 0, v.length);
  }

  static void delete(Transaction batch, TableSpec table, String key) {
    byte[] k = bytes(key);
    batch.delete(table, hash(key), k, 0, k.length);
  }

  /** The value, or null. */
  static String get(Reader reader, TableSpec table, String key) {
    byte[] k = bytes(key);
    Slice out = new Slice();
    return reader.get(table, hash(key), k, 0, k.length, out) ? text(out) : null;
  }

  static RowCursor prefix(Reader reader, TableSpec table, String prefix) {
    byte[] p = bytes(prefix);
    return reader.prefix(table, hash(prefix), p, 0, p.length);
  }

  /** The same from a key on; where that is the prefix, by the plainer way. */
  static RowCursor prefixFrom(Reader reader, TableSpec table, String from, String prefix) {
    byte[] f = bytes(from);
    return from.equals(prefix)
        ? prefix(reader, table, prefix)
        : reader.prefixFrom(table, hash(prefix), f, f.length, bytes(prefix).length);
  }

  /** All rows of the cursor as {@code key=value}, in its order. */
  static List<String> all(RowCursor cursor) {
    List<String> rows = new ArrayList<>();
    try (cursor) {
      while (cursor.next()) {
        String key = text(cursor.key());
        if (cursor.hash() != hash(key)) {
          throw new AssertionError("row " + key + " came back with hash " + cursor.hash());
        }
        rows.add(key + "=" + text(cursor.value()));
      }
    }
    return rows;
  }
}
