package io.groundswell.spark.views.messages;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.contract.Documents;
import io.groundswell.spark.views.contract.messages.MessageSpec;
import io.groundswell.spark.views.contract.messages.RegisteredSchema;
import io.groundswell.spark.views.contract.messages.RegistryAccess;
import io.groundswell.spark.views.messages.spi.Unreadable;
import io.groundswell.storage.Envelope;
import io.groundswell.storage.ObjectStore;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The schemas of one registry. What was found is kept in a folder of the pipeline, so that it goes
 * on while the registry is down.
 */
final class Schemas {
  private static final String KIND = "message-schema";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int DIGITS = 6;

  private final RegistryAccess access;
  private final boolean compiled;
  private final ObjectStore folder;

  /**
   * @param compiled whether schemas are wanted as base64 of their compiled files, as of Protobuf
   * @param folder of the pipeline; null: nothing is kept
   */
  Schemas(RegistryAccess access, boolean compiled, ObjectStore folder) {
    this.access = access;
    this.compiled = compiled;
    this.folder = folder;
  }

  /** The schema of an id; null if the registry has none. */
  RegisteredSchema byId(int id) {
    String name = digest(String.join(" ", access.urls())) + "-" + id + ".json";
    RegisteredSchema kept = kept(name);
    if (kept != null) {
      return kept;
    }
    Answer found = ask("/schemas/ids/" + id);
    if (found == null) {
      return null;
    }
    RegisteredSchema schema = whole(id, found);
    keep(name, schema);
    return schema;
  }

  /**
   * The schema that the columns are read by; null if there is no such subject or version.
   *
   * @throws EngineException {@code SOURCE} if the registry does not answer, or refuses us
   */
  RegisteredSchema ofSubject(String subject, String version) {
    Answer found = ask(versionOf(subject, version));
    return found == null ? null : whole(found.id(), found);
  }

  /** The same, as it was at the last start that could ask for it; null if none could. */
  RegisteredSchema keptReader(MessageSpec spec) {
    return kept(readerName(spec));
  }

  /** Notes it for starts while the registry is down. */
  void keepReader(MessageSpec spec, RegisteredSchema schema) {
    if (!schema.equals(keptReader(spec))) {
      keep(readerName(spec), schema);
    }
  }

  private String readerName(MessageSpec spec) {
    String what = String.join("\n", spec.encoding(), spec.subject(), spec.version());
    return digest(String.join(" ", access.urls())) + "-of-" + digest(what) + ".json";
  }

  /** With all schemas that it refers to, each behind those that it needs. */
  private RegisteredSchema whole(int id, Answer found) {
    Map<String, String> others = new LinkedHashMap<>();
    refer(found, others, new ArrayList<>());
    return new RegisteredSchema(id, found.schemaType(), found.schema(),
        List.copyOf(others.keySet()), List.copyOf(others.values()));
  }

  private void refer(Answer schema, Map<String, String> found, List<String> above) {
    for (Answer.Reference each : schema.references()) {
      String name = each.name();
      if (found.containsKey(name) || above.contains(name)) {
        continue;
      }
      String path = versionOf(each.subject(), String.valueOf(each.version()));
      Answer other = ask(path);
      if (other == null) {
        throw new Unreadable("its schema refers to " + name + ", and "
            + RegistryClient.place(access) + " has nothing at " + path);
      }
      above.add(name);
      refer(other, found, above);
      found.put(name, other.schema());
    }
  }

  private static String versionOf(String subject, String version) {
    String name = URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
    return "/subjects/" + name + "/versions/" + version;
  }

  private Answer ask(String path) {
    return RegistryClient.of(access).get(compiled ? path + "?format=serialized" : path);
  }

  private RegisteredSchema kept(String name) {
    if (folder == null) {
      return null;
    }
    try {
      byte[] data = folder.readIfThere(name);
      return data == null
          ? null
          : Documents.read(Envelope.unseal(folder.locationOf(name), data, KIND).toString(),
                RegisteredSchema.class);
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot read " + folder.locationOf(name) + ": " + e.getMessage(), e);
    }
  }

  private void keep(String name, RegisteredSchema schema) {
    if (folder == null) {
      return;
    }
    try {
      folder.put(name, Envelope.seal(KIND, JSON.readTree(Documents.write(schema))));
    } catch (IOException e) {
      throw new EngineException(
          ErrorCode.STORAGE, "cannot write " + folder.locationOf(name) + ": " + e.getMessage(), e);
    }
  }

  private static String digest(String text) {
    try {
      byte[] all =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(all, 0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
