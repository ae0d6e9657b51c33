package io.groundswell.spark.shims;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What crosses to Python and back. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  public static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  public static JsonNode parse(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + text, e);
    }
  }

  /** A list of strings; empty if the field is missing or null. */
  public static List<String> strings(JsonNode node) {
    List<String> result = new ArrayList<>();
    node.forEach(item -> result.add(item.asText()));
    return result;
  }

  public static ArrayNode strings(Iterable<String> items) {
    ArrayNode result = array();
    items.forEach(result::add);
    return result;
  }
}
