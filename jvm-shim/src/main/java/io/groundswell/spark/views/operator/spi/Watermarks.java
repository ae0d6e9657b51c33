package io.groundswell.spark.views.operator.spi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;

/**
 * The event-time watermarks of a barrier: no row that it lets through, or a later one, is older.
 *
 * @param before by source, microseconds: those of the barrier before
 * @param now those of this one; a source that is not there has none yet
 * @param clock the time of the barrier, microseconds; null: none is told
 */
public record Watermarks(Map<String, Long> before, Map<String, Long> now, Long clock) {
  public static final Watermarks NONE = new Watermarks(Map.of(), Map.of(), null);

  /** From {@code {"before": {source: micros}, "now": {source: micros}, "clock": micros}}. */
  public static Watermarks of(JsonNode json) {
    return new Watermarks(longs(json.path("before")), longs(json.path("now")),
        json.hasNonNull("clock") ? Long.valueOf(json.get("clock").asLong()) : null);
  }

  private static Map<String, Long> longs(JsonNode json) {
    Map<String, Long> all = new HashMap<>();
    json.properties().forEach(entry -> all.put(entry.getKey(), entry.getValue().asLong()));
    return all;
  }
}
