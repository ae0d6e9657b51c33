// Made by tools/contract.py from python/groundswell/contract.
package io.groundswell.spark.views.contract.commits;

import io.groundswell.spark.contract.Checks;
import java.io.Serializable;

/**
 * A merge whose files stand in storage, and that no version refers to yet.
 *
 * @param state its name
 * @param partition of it
 * @param record what its writer is to be told; base64
 * @param read bytes that were read
 * @param written bytes that were written
 */
public record MergeDone(String state, int partition, String record, long read, long written)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public MergeDone {
    Checks.present(state, "state");
    Checks.present(record, "record");
  }
}
