package io.groundswell.key;

/**
 * One table of a store: a column family, an index, or an operator's state table.
 *
 * @param id unique in its store, 0 to 65,535; it leads every key on disk
 * @param name what people call it
 * @param layout where a row's partition hash stands in the key
 * @param counted whether the exact number of live keys is kept (costs a look-up for a blind write)
 */
public record TableSpec(int id, String name, Layout layout, boolean counted) {
  /** Where the partition hash of a row stands in its key. */
  public enum Layout {
    /** Hash first: point reads and scans of one bound prefix; no order across prefixes. */
    HASHED,
    /** User key first, hash last: the order of user keys is the order of the table. */
    ORDERED
  }

  public TableSpec {
    if (id < 0 || id > 0xFFFF) {
      throw new IllegalArgumentException("table id " + id + " is outside 0..65535");
    }
  }
}
