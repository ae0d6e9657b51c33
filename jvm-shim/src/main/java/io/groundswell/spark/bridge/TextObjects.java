package io.groundswell.spark.bridge;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.groundswell.spark.capture.Json;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStores;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.SparkSession;

/**
 * Small texts in one folder of any file system Spark can reach, for Python's own files: epochs,
 * definitions. A text is there as a whole or not at all.
 */
public final class TextObjects {
  private final ObjectStore store;

  private TextObjects(ObjectStore store) {
    this.store = store;
  }

  /** Does no I/O. */
  public static TextObjects at(SparkSession session, String location) {
    return new TextObjects(
        ObjectStores.open(
            location,
            ((org.apache.spark.sql.classic.SparkSession) session)
                .sessionState()
                .newHadoopConf()));
  }

  /** The text of that name, or null if there is none. */
  public String read(String name) throws IOException {
    try {
      long length = store.length(name);
      return new String(
          store.read(name, 0, Math.toIntExact(length)), StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /** Replaces the text of that name; durable on return. */
  public void write(String name, String text) throws IOException {
    store.put(name, text.getBytes(StandardCharsets.UTF_8));
  }

  /** JSON list of {@code {name, length, modifiedMillis}}, by name. */
  public String list(String prefix) throws IOException {
    ArrayNode result = Json.array();
    store.list(prefix).stream()
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .forEach(
            info ->
                result
                    .addObject()
                    .put("name", info.name())
                    .put("length", info.length())
                    .put("modifiedMillis", info.modifiedMillis()));
    return result.toString();
  }

  /** False if there was none. */
  public boolean delete(String name) throws IOException {
    return store.delete(name);
  }
}
