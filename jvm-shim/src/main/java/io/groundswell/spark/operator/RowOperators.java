package io.groundswell.spark.operator;

import com.fasterxml.jackson.databind.JsonNode;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.List;

/** Makes row operators from their description in a dataflow. */
public final class RowOperators {
  private RowOperators() {}

  /**
   * @param spec the operator of the dataflow, with its {@code op}
   * @param inputs the columns of each input, without {@code _weight}
   * @param output the columns it gives, without {@code _weight}
   * @param calls finds the aggregate calls that {@code spec} names
   * @throws EngineException {@code INVALID_ARGUMENT} if the description cannot be run
   */
  public static RowOperator create(
      JsonNode spec, List<List<Column>> inputs, List<Column> output, CallResolver calls) {
    String op = spec.path("op").asText();
    throw new EngineException(
        ErrorCode.INVALID_ARGUMENT, "operator \"" + op + "\" has no row operator");
  }
}
