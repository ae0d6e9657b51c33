package io.groundswell.spark.views.messages.spi;

import io.groundswell.spark.views.contract.messages.RegisteredSchema;

/** The columns that messages are read into. */
public interface Target {
  /**
   * Reads messages that a schema wrote.
   *
   * @throws Unreadable if that schema cannot be read as the columns' own
   */
  Decoder decoder(RegisteredSchema writer);
}
