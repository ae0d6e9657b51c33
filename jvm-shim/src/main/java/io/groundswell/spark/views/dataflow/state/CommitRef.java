package io.groundswell.spark.views.dataflow.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The state of one operator partition as of one epoch.
 *
 * @param version the partition's own count of commits; 0: never written
 * @param id which of the attempts at that version; null with version 0
 * @param rows live rows of its counted tables
 * @param bytes of the version in storage
 */
public record CommitRef(long version, String id, long rows, long bytes) implements Serializable {
  static final CommitRef EMPTY = new CommitRef(0, null, 0, 0);

  /** The entries of one state, or null if the epoch does not know the state yet. */
  public static List<CommitRef> list(JsonNode commits, String state, int partitions) {
    JsonNode entries = commits.path(state);
    if (entries.isMissingNode() || entries.isNull()) {
      return null;
    }
    if (entries.size() != partitions) {
      throw new IllegalArgumentException("state \"" + state + "\" was written with "
          + entries.size() + " partitions and is to be continued with " + partitions
          + ": start with the number of partitions the pipeline began with");
    }
    return list(entries);
  }

  /** The entries of one state, by partition. */
  public static List<CommitRef> list(JsonNode entries) {
    List<CommitRef> result = new ArrayList<>();
    for (JsonNode entry : entries) {
      result.add(new CommitRef(entry.path("version").asLong(),
          entry.path("id").isTextual() ? entry.path("id").asText() : null,
          entry.path("rows").asLong(), entry.path("bytes").asLong()));
    }
    return result;
  }

  public static List<CommitRef> empty(int partitions) {
    return Collections.nCopies(partitions, EMPTY);
  }

  public ObjectNode json() {
    return Json.object()
        .put("version", version)
        .put("id", id)
        .put("rows", rows)
        .put("bytes", bytes);
  }
}
