package io.groundswell.spark.views.operator.spi;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import org.apache.spark.unsafe.types.UTF8String;

/** Spark's names of what a change row says; {@link #ordinal} is what is stored. */
public enum ChangeType {
  INSERT("insert", 1),
  UPDATE_PREIMAGE("update_preimage", -1),
  UPDATE_POSTIMAGE("update_postimage", 1),
  DELETE("delete", -1);

  private final UTF8String text;
  private final int weight;

  ChangeType(String text, int weight) {
    this.text = UTF8String.fromString(text);
    this.weight = weight;
  }

  /** The value of {@code _change_type}. */
  public UTF8String text() {
    return text;
  }

  public int weight() {
    return weight;
  }

  /** The type of that name; {@code source} is for the message. */
  public static ChangeType of(UTF8String name, String source) {
    for (ChangeType type : values()) {
      if (type.text.equals(name)) {
        return type;
      }
    }
    throw new EngineException(ErrorCode.INVALID_ARGUMENT,
        "source \"" + source + "\": the change type is "
            + (name == null ? "null" : "'" + name + "'")
            + "; it must be one of insert, delete, update_preimage, update_postimage");
  }
}
