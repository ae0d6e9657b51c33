package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import org.apache.spark.sql.SparkSession;

/** The door to Python's side of the statements. */
public final class Statements {
  private static volatile StatementHandler handler;

  private Statements() {}

  /** Makes {@code answering} the one that is asked; Python calls it once a process. */
  public static void register(StatementHandler answering) {
    handler = answering;
  }

  static boolean registered() {
    return handler != null;
  }

  static ObjectNode request(String ask) {
    return Json.object().put("ask", ask);
  }

  /**
   * @throws StatementException if Python says so, or there is no Python, nor can it be started
   */
  static JsonNode ask(SparkSession session, ObjectNode request) {
    if (handler == null) {
      PythonHelper.start(session, Statements::registered);
    }
    JsonNode answer = Json.parse(handler.ask(session, request.toString()));
    if (answer.has("error")) {
      throw new StatementException(answer.path("error").asText());
    }
    return answer;
  }
}
