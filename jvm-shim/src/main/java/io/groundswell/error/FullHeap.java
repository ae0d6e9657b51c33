package io.groundswell.error;

/** A heap that is full, as an error of a barrier. */
public final class FullHeap {
  private static final int MOST_CAUSES = 10;

  private FullHeap() {}

  /** The JVM's error that is this, or is among its causes: Spark's readers wrap it; null: none. */
  public static OutOfMemoryError within(Throwable error) {
    Throwable at = error;
    for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
      if (at instanceof OutOfMemoryError full) {
        return full;
      }
      at = at.getCause();
    }
    return null;
  }

  /**
   * Says who holds what of it. The JVM's error is no cause of what is made: Spark ends the process
   * for a task that fails with one, up to five causes deep ({@code
   * spark.executor.killOnFatalError.depth}). Its words and its stack stay.
   *
   * @param place in a pipeline; null: not known
   * @param who had no room
   * @param held what is known of the heap
   */
  public static EngineException error(
      Place place, String who, OutOfMemoryError full, long heapBytes, String held) {
    Exception seen = new Exception(full.toString());
    seen.setStackTrace(full.getStackTrace());
    return new EngineException(ErrorCode.OUT_OF_MEMORY, place,
        who + ": " + full.getMessage() + ", of " + (heapBytes >> 20) + " MiB. Held: " + held
            + ". Nothing of the barrier was kept. Give the process more memory "
            + "(spark.driver.memory, spark.executor.memory), make barriers smaller "
            + "(maxBarrierRows, maxBarrierBytes), or make one key of a view hold less",
        seen);
  }
}
