package io.groundswell.spark.views.dataflow.compile;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.dataflow.run.RowOrigin;
import io.groundswell.spark.views.operator.spi.Column;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Where the stateless chains of a dataflow stand: between which sources and views. */
final class Origins {
  private final Map<Integer, JsonNode> specs;
  private final Columns columns;

  /**
   * @param specs all operators by id; may be filled later
   */
  Origins(Map<Integer, JsonNode> specs, Columns columns) {
    this.specs = specs;
    this.columns = columns;
  }

  /** Of a chain; null if there is none. */
  RowOrigin of(JsonNode stateless) {
    if (stateless == null) {
      return null;
    }
    JsonNode from = specs.get(stateless.path("input").asInt());
    List<Column> input = columns.columns(Json.strings(from.path("columns")));
    List<String> refs = input.stream().map(Column::ref).toList();
    int[] key = key(from).stream().mapToInt(refs::indexOf).toArray();
    boolean whole = key.length > 0 && Arrays.stream(key).allMatch(at -> at >= 0);
    return RowOrigin.of(place(stateless), String.join("; ", Json.strings(stateless.path("texts"))),
        input, whole ? key : new int[0]);
  }

  /** The views that an operator feeds, or is, and the sources that feed it. */
  String place(JsonNode operator) {
    Set<String> views = new TreeSet<>();
    if (operator.path("op").asText().equals("materialize")) {
      views.add(operator.path("view").asText());
    } else {
      addViews(operator.path("id").asInt(), views);
    }
    Set<String> sources = new TreeSet<>();
    addSources(operator, sources);
    return (views.isEmpty() ? "" : "view " + String.join(", ", views) + ", ")
        + (sources.isEmpty() ? "no source" : "source " + String.join(", ", sources));
  }

  /** What tells an operator's rows apart, as far as it says so. */
  private static List<String> key(JsonNode operator) {
    return switch (operator.path("op").asText()) {
      case "source" -> Json.strings(operator.path("rowId"));
      case "aggregate" -> Json.strings(operator.path("grouping"));
      case "join", "temporal_join" -> {
        List<String> both = new ArrayList<>(Json.strings(operator.path("leftKey")));
        both.addAll(Json.strings(operator.path("rightKey")));
        yield both;
      }
      case "arrange", "lookup" -> List.of();
      default -> Json.strings(operator.path("key"));
    };
  }

  /** The nearest views that an operator feeds. */
  private void addViews(int id, Set<String> found) {
    specs.forEach((reader, operator) -> {
      if (Compiler.inputs(operator).contains(id)) {
        if (operator.path("op").asText().equals("materialize")) {
          found.add(operator.path("view").asText());
        } else {
          addViews(reader, found);
        }
      }
    });
  }

  private void addSources(JsonNode operator, Set<String> found) {
    String op = operator.path("op").asText();
    if (op.equals("source")) {
      found.add(operator.path("name").asText(operator.path("source").asText()));
    } else if (op.equals("snapshot")) {
      found.add(operator.path("from").asText());
    }
    Compiler.inputs(operator).forEach(input -> addSources(specs.get(input), found));
  }
}
