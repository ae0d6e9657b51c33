package io.groundswell.iter;

import io.groundswell.key.InternalKey;
import java.util.List;

/** Entries of a test. */
final class ArrayCursor extends EntryCursor {
  /** An entry; a null value is a delete. */
  record Entry(byte[] key, byte[] value) {}

  private final List<Entry> entries;
  private int at;

  ArrayCursor(List<Entry> entries) {
    this.entries =
        entries.stream()
            .sorted((a, b) -> InternalKey.compare(a.key(), a.key().length, b.key(), b.key().length))
            .toList();
  }

  @Override
  public void seekToFirst() {
    at = 0;
    show();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    at = 0;
    while (at < entries.size()
        && InternalKey.compare(
               entries.get(at).key(), entries.get(at).key().length, target, targetLength)
            < 0) {
      at++;
    }
    show();
  }

  @Override
  public void next() {
    at++;
    show();
  }

  private void show() {
    valid = at < entries.size();
    if (valid) {
      Entry entry = entries.get(at);
      System.arraycopy(entry.key(), 0, key, 0, entry.key().length);
      keyLength = entry.key().length;
      delete = entry.value() == null;
      value = entry.value();
      valueOffset = 0;
      valueLength = delete ? 0 : value.length;
    }
  }
}
