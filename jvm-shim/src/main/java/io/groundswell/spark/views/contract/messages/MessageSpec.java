// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.messages;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * How the messages of a topic, or their keys, become columns.
 *
 * @param registry that has their schemas
 * @param encoding {@code avro} or {@code protobuf}
 * @param subject whose schema the columns are read by
 * @param version of that schema: a number, or {@code latest}
 * @param message Protobuf's full name of the message; null: the only one, or the first one
 * @param shape {@code row}; {@code key}: columns that the schema lacks are null; {@code
 *     envelope}: Debezium's
 * @param columns a struct
 */
public record MessageSpec(RegistryAccess registry, String encoding, String subject, String version,
    String message, String shape, DataType columns) implements Serializable {
  private static final long serialVersionUID = 1L;

  public MessageSpec {
    Checks.present(registry, "registry");
    Checks.present(encoding, "encoding");
    Checks.present(subject, "subject");
    Checks.present(version, "version");
    Checks.present(shape, "shape");
    Checks.present(columns, "columns");
  }
}
