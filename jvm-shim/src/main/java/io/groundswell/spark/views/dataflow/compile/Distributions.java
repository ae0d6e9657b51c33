package io.groundswell.spark.views.dataflow.compile;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.spark.shims.Json;
import io.groundswell.spark.views.dataflow.exchange.Distribution;
import java.util.List;

/** Where the rows of an operator's inputs have to be, and where its own are. */
final class Distributions {
  private final Columns columns;
  private final int partitions;

  /**
   * @param partitions of every state
   */
  Distributions(Columns columns, int partitions) {
    this.columns = columns;
    this.partitions = partitions;
  }

  /** By input; none if the operator takes rows where they are. */
  List<Distribution> of(JsonNode operator) {
    return switch (operator.path("op").asText()) {
      case "signs", "diverted" -> List.of();
      case "join", "temporal_join" -> List.of(by(operator, "leftKeys"), by(operator, "rightKeys"));
      case "arrange" -> List.of(byFirst(operator, "index"));
      case "lookup" -> List.of(byFirst(operator, "keys"), byFirst(operator, "deltaKeys"));
      case "touched" -> List.of(byFirst(operator, "key"));
      case "aggregate" -> List.of(by(operator, "grouping"));
      case "window", "first_rows" -> List.of(by(operator, "partition"));
      case "top_n" -> List.of(Distribution.of(List.of(), 1));
      case "top_n_local" -> List.of(byFirst(operator, "bucket"));
      default -> List.of(by(operator, "key"));
    };
  }

  /** Those that the output still has: rows beside nulls are not where the nulls' hash says. */
  List<Distribution> lasting(JsonNode operator, List<Distribution> distributions) {
    if (operator.path("hot").size() > 0) {
      return List.of();
    }
    if (operator.path("op").asText().equals("lookup")) {
      return operator.hasNonNull("rowKeys")
          ? List.of(distributions.get(0), byFirst(operator, "rowKeys"))
          : distributions.subList(0, 1);
    }
    if (operator.path("op").asText().equals("temporal_join")) {
      return distributions.subList(0, 1);
    }
    return switch (operator.path("joinType").asText("inner")) {
      case "inner" -> distributions;
      case "full_outer" ->
        distributions.stream().filter(distribution -> distribution.keys().isEmpty()).toList();
      default -> distributions.subList(0, 1);
    };
  }

  /** Indexes are placed by their first column. */
  private Distribution byFirst(JsonNode operator, String field) {
    List<String> refs = Json.strings(operator.path(field));
    return Distribution.of(
        columns.attributes(refs.subList(0, Math.min(1, refs.size()))), partitions);
  }

  private Distribution by(JsonNode operator, String field) {
    return Distribution.of(columns.attributes(Json.strings(operator.path(field))), partitions);
  }
}
