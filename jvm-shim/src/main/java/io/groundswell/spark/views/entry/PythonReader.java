package io.groundswell.spark.views.entry;

/**
 * Python's end of a stream that Python reads, in the driver's own process. Offsets are JSON. What
 * Python raises ends the stream's query, with its message.
 */
public interface PythonReader {
  /** Where the stream begins. */
  String initialOffset();

  /** Where the next micro-batch ends that begins at {@code start}: there, if nothing is new. */
  String latestOffset(String start);

  /** What tasks read between two offsets: pickled parts in base64, one a line. */
  String partitions(String start, String end);

  /** All up to an offset has been processed. */
  void commit(String end);

  /** This run takes what there is now, and no more. */
  void prepareForTriggerAvailableNow();

  /** Lets go of what it holds; another thread may be in one of the other methods. */
  void stop();
}
