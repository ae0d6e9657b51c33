package io.groundswell.engine;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counters of one store since it was opened, by name, in a stable order. Reads are counted when
 * their transaction or snapshot ends. {@code cacheHits} and {@code cacheMisses} are those of all
 * stores that share the services.
 */
public record StoreMetrics(Map<String, Long> counters) {
  public StoreMetrics {
    counters = Collections.unmodifiableMap(new LinkedHashMap<>(counters));
  }

  /** The counter of that name; 0 if there is none. */
  public long get(String name) {
    return counters.getOrDefault(name, 0L);
  }
}
