// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.messages;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import java.util.List;

/**
 * A schema of a registry, with all that it refers to.
 *
 * @param id its number in the registry
 * @param type {@code AVRO} or {@code PROTOBUF}
 * @param text the schema; of Protobuf, the base64 of its compiled file
 * @param names of the schemas that it refers to, each behind those that it needs
 * @param texts of these
 */
public record RegisteredSchema(long id, String type, String text, List<String> names,
    List<String> texts) implements Serializable {
  private static final long serialVersionUID = 1L;

  public RegisteredSchema {
    Checks.present(type, "type");
    Checks.present(text, "text");
    names = Checks.list(names, "names");
    texts = Checks.list(texts, "texts");
  }
}
