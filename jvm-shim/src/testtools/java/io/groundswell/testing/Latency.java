package io.groundswell.testing;

import java.util.EnumMap;
import java.util.Map;

/** How long operations take before they begin, in milliseconds. */
@FunctionalInterface
public interface Latency {
  Latency NONE = (op, name) -> 0;

  /** An object store in the next building. */
  String REMOTE = "PUT=20,GET=10,HEAD=10,LIST=50,DELETE=10,RENAME=20";

  long millis(Op op, String name);

  /** From {@code PUT=20,GET=10}; kinds that are not named take no time. */
  static Latency parse(String spec) {
    Map<Op, Long> millis = new EnumMap<>(Op.class);
    for (String part : spec.isBlank() ? new String[0] : spec.split(",")) {
      String[] pair = part.trim().split("=", 2);
      millis.put(Op.valueOf(pair[0]), Long.parseLong(pair[1]));
    }
    return (op, name) -> millis.getOrDefault(op, 0L);
  }
}
