package io.groundswell.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A run that has claimed a checkpoint.
 *
 * @param token greater than those of all owners before
 * @param run what it calls itself
 * @param sinceMillis when it claimed the checkpoint
 */
public record Owner(long token, String run, String host, long pid, long sinceMillis) {
  /** Of this process. */
  static Owner here(long token, String run, long nowMillis) {
    return new Owner(token, run, machine(), ProcessHandle.current().pid(), nowMillis);
  }

  /** The name of this machine, as claims have it. */
  public static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "an unknown host";
    }
  }

  static Owner of(JsonNode content) {
    return new Owner(content.path("token").asLong(), content.path("run").asText(),
        content.path("host").asText(), content.path("pid").asLong(),
        content.path("sinceMillis").asLong());
  }

  ObjectNode json() {
    return JsonNodeFactory.instance.objectNode()
        .put("token", token)
        .put("run", run)
        .put("host", host)
        .put("pid", pid)
        .put("sinceMillis", sinceMillis);
  }

  /** For messages. */
  @Override
  public String toString() {
    return run + " (process " + pid + " on " + host + ", since "
        + Instant.ofEpochMilli(sinceMillis).truncatedTo(ChronoUnit.SECONDS) + ", owner " + token
        + ")";
  }
}
