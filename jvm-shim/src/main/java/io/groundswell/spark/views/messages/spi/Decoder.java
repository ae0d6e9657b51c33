package io.groundswell.spark.views.messages.spi;

import org.apache.spark.sql.catalyst.InternalRow;

/** Reads messages of one schema; safe for use by many threads. */
public interface Decoder {
  /**
   * The columns of a message.
   *
   * @param at where it begins, behind the id of its schema
   * @throws Unreadable if it is none
   */
  InternalRow decode(byte[] message, int at);
}
