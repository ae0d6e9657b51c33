package io.groundswell.spark.shims;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;

/** How a message's bytes become a row. */
public interface MessageFormat extends Serializable {
  /** Reads the messages of one task. */
  interface Reader {
    /** The row of a message; the next call may use it again. */
    InternalRow read(byte[] message);
  }

  /** Of the rows. */
  DataType dataType();

  /** A reader for one task. */
  Reader open();
}
