package io.groundswell.spark.operator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;

/**
 * The event-time watermarks of a barrier: no row that it lets through, or a later one, is older.
 *
 * @param before by source, microseconds: those of the barrier before
 * @param now those of this one; a source that is not there has none yet
 */
public record Watermarks(Map<String, Long> before, Map<String, Long> now) {
  public static final Watermarks NONE = new Watermarks(Map.of(), Map.of());

  /** From {@code {"before": {source: micros}, "now": {source: micros}}}. */
  public static Watermarks of(JsonNode json) {
    return new Watermarks(longs(json.path("before")), longs(json.path("now")));
  }

  private static Map<String, Long> longs(JsonNode json) {
    Map<String, Long> all = new HashMap<>();
    json.properties().forEach(entry -> all.put(entry.getKey(), entry.getValue().asLong()));
    return all;
  }
}
