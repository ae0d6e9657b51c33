package io.groundswell.iter;

/**
 * Entries in internal-key order, all versions and tombstones. Position is held in plain fields so
 * that merge loops compare keys without a call.
 */
public abstract class EntryCursor {
  /** Internal key: table, hash, user key, inverted epoch; in {@code key[0, keyLength)}. Reused. */
  public byte[] key = new byte[128];

  public int keyLength;

  /** Value bytes; immutable, they outlive the cursor. */
  public byte[] value;

  public int valueOffset;
  public int valueLength;

  /** True if this entry says that the key was removed at its epoch. */
  public boolean delete;

  /** False before the first seek and after the end. */
  public boolean valid;

  public abstract void seekToFirst();

  /** Moves to the first entry whose internal key is &gt;= the target. */
  public abstract void seek(byte[] target, int targetLength);

  public abstract void next();

  /** Stands where another cursor stands, on its very entry; the key array is the other's own. */
  protected final void show(EntryCursor other) {
    valid = other.valid;
    if (valid) {
      key = other.key;
      keyLength = other.keyLength;
      value = other.value;
      valueOffset = other.valueOffset;
      valueLength = other.valueLength;
      delete = other.delete;
    }
  }
}
