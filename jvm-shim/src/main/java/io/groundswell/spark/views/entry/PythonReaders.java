package io.groundswell.spark.views.entry;

/** Python's end of all runs of a stream that Python reads. */
public interface PythonReaders {
  /**
   * Makes the reader of one run.
   *
   * @param rows the most that a micro-batch takes; 0: any number
   * @param bytes the same in bytes
   * @return its id behind the port
   */
  String open(long rows, long bytes);
}
