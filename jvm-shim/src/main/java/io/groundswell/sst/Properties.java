package io.groundswell.sst;

import io.groundswell.error.EngineException;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an SST says of itself: names with small byte strings, so that a later minor version can
 * add names which an older reader skips.
 */
final class Properties {
  static final String BLOCKS = "blocks";
  static final String ENTRIES = "entries";
  static final String TOMBSTONES = "tombstones";

  /** Versions that are older than another one of their row in here; the rest are rows. */
  static final String STALE = "stale.versions";

  static final String MIN_EPOCH = "min.epoch";
  static final String MAX_EPOCH = "max.epoch";
  static final String SMALLEST = "smallest.key";
  static final String LARGEST = "largest.key";
  static final String KEY_BOUNDS = "key.bounds";
  static final String KEY_BYTES = "raw.key.bytes";
  static final String VALUE_BYTES = "raw.value.bytes";
  static final String COMPRESSION = "compression";
  static final String FILTER_KIND = "filter.kind";
  static final String FILTER_KEYS = "filter.keys";

  private final Map<String, byte[]> values = new LinkedHashMap<>();

  Properties with(String name, long number) {
    return with(name, new ByteWriter(10).varint(number).toBytes());
  }

  Properties with(String name, byte[] value) {
    values.put(name, value);
    return this;
  }

  /** The number of that name; {@code CORRUPTION} if it is not there. */
  long number(String what, String name) {
    byte[] value = bytes(what, name);
    return new ByteReader(what + ", property " + name, value, 0, value.length).varint();
  }

  byte[] bytes(String what, String name) {
    byte[] value = values.get(name);
    if (value == null) {
      throw Frame.corrupt(what, "has no property '" + name + "'");
    }
    return value;
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(256).varint(values.size());
    values.forEach((name, value) -> out.string(name).blob(value));
    return out.toBytes();
  }

  static Properties decode(ByteReader in) throws EngineException {
    Properties properties = new Properties();
    int count = in.count(in.remaining());
    for (int i = 0; i < count; i++) {
      properties.with(in.string(), in.blob());
    }
    in.expectEnd();
    return properties;
  }
}
