package io.groundswell.spark.bridge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What crosses to Python and back. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  static JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + text, e);
    }
  }

  /** A list of strings; empty if the field is missing or null. */
  static List<String> strings(JsonNode node) {
    List<String> result = new ArrayList<>();
    node.forEach(item -> result.add(item.asText()));
    return result;
  }

  static ArrayNode strings(Iterable<String> items) {
    ArrayNode result = array();
    items.forEach(result::add);
    return result;
  }
}
