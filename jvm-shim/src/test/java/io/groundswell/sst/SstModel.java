package io.groundswell.sst;

import io.groundswell.cache.BlockCache;
import io.groundswell.cache.CacheCounters;
import io.groundswell.iter.LookupResult;
import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.testing.MemoryObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** The same entries in a sorted map and in an SST: what one answers the other must answer. */
public final class SstModel {
  /** A value, or null for a delete. */
  record Cell(byte[] value) {}

  static final TableSpec HASHED = new TableSpec(7, "hashed", TableSpec.Layout.HASHED, false);
  static final TableSpec ORDERED = new TableSpec(300, "ordered", TableSpec.Layout.ORDERED, false);
  static final int PADDING = 11;

  final NavigableMap<byte[], Cell> entries =
      new TreeMap<>((a, b) -> InternalKey.compare(a, a.length, b, b.length));

  static TableSpec.Layout layout(int table) {
    return table == HASHED.id() ? TableSpec.Layout.HASHED
        : table == ORDERED.id() ? TableSpec.Layout.ORDERED
                                : null;
  }

  static byte[] key(TableSpec table, int hash, byte[] userKey, long epoch) {
    byte[] key = new byte[InternalKey.encodedLength(userKey.length)];
    InternalKey.encode(table, hash, userKey, 0, userKey.length, epoch, key, 0);
    return key;
  }

  void put(TableSpec table, int hash, byte[] userKey, long epoch, byte[] value) {
    entries.put(key(table, hash, userKey, epoch), new Cell(value));
  }

  /** Random rows of two tables: short keys that are prefixes of each other, many versions. */
  static SstModel random(Random random, int rows) {
    SstModel model = new SstModel();
    for (int i = 0; i < rows; i++) {
      boolean hashed = random.nextBoolean();
      byte[] user = new byte[random.nextInt(hashed ? 6 : 1) + (hashed ? 0 : 5)];
      for (int k = 0; k < user.length; k++) {
        user[k] = (byte) (random.nextInt(3) * 127);
      }
      int hash = random.nextInt(4) == 0 ? -1 : random.nextInt(20) * 0x10000001;
      if (!hashed) {
        hash = Arrays.hashCode(user);
      }
      int versions = random.nextInt(20) == 0 ? 40 : 1 + random.nextInt(2);
      for (int v = 0; v < versions; v++) {
        byte[] value = new byte[random.nextInt(50) == 0 ? 5000 : random.nextInt(30)];
        random.nextBytes(value);
        model.put(hashed ? HASHED : ORDERED, hash, user, random.nextInt(100),
            random.nextInt(4) == 0 ? null : value);
      }
    }
    return model;
  }

  /** Writes the entries behind some other bytes and in front of more. */
  SstInfo write(MemoryObjectStore store, String name, SstOptions options) throws IOException {
    try (var out = store.create(name)) {
      out.write(new byte[PADDING]);
      SstWriter writer = new SstWriter(out, PADDING, options, SstModel::layout);
      for (Map.Entry<byte[], Cell> entry : entries.entrySet()) {
        byte[] value = entry.getValue().value();
        byte[] bytes = value == null ? new byte[0] : value;
        writer.add(entry.getKey(), entry.getKey().length, value == null, bytes, 0, bytes.length);
      }
      SstInfo info = writer.finish(name);
      out.write(new byte[PADDING]);
      out.commit();
      return info;
    }
  }

  SstReader open(SstOptions options) {
    MemoryObjectStore store = new MemoryObjectStore();
    try {
      return SstReader.open(store, write(store, "a.sst", options), new BlockCache(1 << 20));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a point read must find: the first entry from the key on, if it is of the same row. */
  String expect(byte[] key) {
    Map.Entry<byte[], Cell> entry = entries.ceilingEntry(key);
    if (entry == null
        || !InternalKey.sameUserKey(entry.getKey(), entry.getKey().length, key, key.length)) {
      return "absent";
    }
    return describe(entry.getKey(), entry.getValue().value());
  }

  static String describe(byte[] key, byte[] value) {
    return InternalKey.epochOf(key, key.length)
        + (value == null ? " deleted" : " " + Arrays.toString(value));
  }

  /** What the SST finds, in the same words. */
  static String get(SstReader reader, byte[] key) {
    LookupResult found = new LookupResult();
    int stem = key.length - InternalKey.EPOCH_BYTES;
    int answer =
        reader.get(key, stem, InternalKey.epochOf(key, key.length), found, new CacheCounters());
    if (answer == LookupResult.ABSENT) {
      return "absent";
    }
    byte[] value = answer == LookupResult.DELETED
        ? null
        : Arrays.copyOfRange(found.value, found.offset, found.offset + found.length);
    return found.epoch + (value == null ? " deleted" : " " + Arrays.toString(value));
  }

  static String show(SstCursor cursor) {
    byte[] value = cursor.delete ? null
                                 : Arrays.copyOfRange(cursor.value, cursor.valueOffset,
                                       cursor.valueOffset + cursor.valueLength);
    byte[] key = Arrays.copyOf(cursor.key, cursor.keyLength);
    return Arrays.toString(key) + describe(key, value);
  }
}
