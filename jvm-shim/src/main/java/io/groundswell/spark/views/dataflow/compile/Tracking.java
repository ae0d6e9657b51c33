package io.groundswell.spark.views.dataflow.compile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.dataflow.run.Input;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells which views need not be read to be written. */
final class Tracking {
  /** Operators whose state tells what they have given. */
  private static final Set<String> KEEPING = Set.of("aggregate", "first_rows");

  /** Steps that make of a row at most one, and of equal rows equal ones. */
  private static final Set<String> ONE_TO_ONE =
      Set.of("project", "results", "filter", "where", "digests", "compute", "map");

  private Tracking() {}

  /**
   * Whether a view takes the changes of an operator that keeps its own results, as it nets them:
   * not exchanged in between, not split, and of no group that may be forgotten.
   *
   * @param specs all operators
   */
  static boolean isTracked(JsonNode operator, Input input, Map<Integer, JsonNode> specs) {
    if (!operator.path("op").asText().equals("materialize")
        || (input.segment() != null && input.segment().exchanges() > 0)) {
      return false;
    }
    JsonNode made = maker(operator, specs);
    return made != null && KEEPING.contains(made.path("op").asText())
        && !made.hasNonNull("watermark");
  }

  /** The operator that a view's rows come from one to one; null if they do not. */
  private static JsonNode maker(JsonNode view, Map<Integer, JsonNode> specs) {
    JsonNode made = specs.get(view.path("input").asInt());
    while (made.path("op").asText().equals("stateless")) {
      for (JsonNode step : made.path("steps")) {
        if (!ONE_TO_ONE.contains(step.fieldNames().next())) {
          return null;
        }
      }
      made = specs.get(made.path("input").asInt());
    }
    return made;
  }

  /**
   * The view with what its materialisation has to know: {@code tracked}, and {@code group}, the
   * columns that its changes come grouped by, if groups have several rows that nobody asks for by
   * key.
   */
  static JsonNode tracked(JsonNode view, Map<Integer, JsonNode> specs) {
    ObjectNode described = ((ObjectNode) view.deepCopy()).put("tracked", true);
    JsonNode made = maker(view, specs);
    JsonNode input = specs.get(view.path("input").asInt());
    List<String> partition = partition(input, specs);
    if (view.path("anywhere").asBoolean(false) && made.path("op").asText().equals("first_rows")
        && made.path("limit").asInt() > 1
        && Json.strings(input.path("columns")).containsAll(partition)) {
      described.set("group", Json.strings(partition));
    }
    return described;
  }

  /** The maker's partition as it is called above: a view that shares the maker renames it. */
  private static List<String> partition(JsonNode operator, Map<Integer, JsonNode> specs) {
    if (!operator.path("op").asText().equals("stateless")) {
      return Json.strings(operator.path("partition"));
    }
    List<String> refs = partition(specs.get(operator.path("input").asInt()), specs);
    for (JsonNode step : operator.path("steps")) {
      if (step.has("map")) {
        refs = refs.stream().map(ref -> renamed(ref, step.path("map"))).toList();
      }
    }
    return refs;
  }

  /** Empty if the step drops the column. */
  private static String renamed(String ref, JsonNode map) {
    for (JsonNode item : map) {
      if (item.path("from").asText().equals(ref)) {
        return item.path("to").asText();
      }
    }
    return "";
  }
}
