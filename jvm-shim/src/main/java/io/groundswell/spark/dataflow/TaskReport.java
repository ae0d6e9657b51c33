package io.groundswell.spark.dataflow;

import java.io.Serializable;

/**
 * What one task tells the driver of one partition. A task that ran again reports again: the driver
 * keeps one report a part and partition, and each names a state that is whole.
 *
 * @param part the operator's id, or {@code ~tag} for the rows of a source
 * @param commit the state it left; null where there is none
 */
record TaskReport(int part, int partition, CommitRef commit, long rowsIn, long rowsOut,
    long stateReads, long stateWrites, long millis) implements Serializable {
  static TaskReport ofSource(int tag, int partition, long rows) {
    return new TaskReport(~tag, partition, null, rows, rows, 0, 0, 0);
  }

  long counter(String name) {
    return switch (name) {
      case "rowsIn" -> rowsIn;
      case "rowsOut" -> rowsOut;
      case "stateReads" -> stateReads;
      case "stateWrites" -> stateWrites;
      case "millis" -> millis;
      default -> throw new IllegalArgumentException(name);
    };
  }
}
