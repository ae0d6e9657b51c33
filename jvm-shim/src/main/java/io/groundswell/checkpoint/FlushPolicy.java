package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;

/**
 * Which commits of a barrier share objects, and when those are written. Spark's own operators have
 * one policy more, that of a batch: the plugin's {@link Uploader}.
 */
public enum FlushPolicy {
  /** They stay in the memory of the application, and a later checkpoint makes them durable. */
  CHECKPOINT,

  /** Each is an object of its own. */
  ALONE,

  /** Those of a task share objects, but for large ones, and are durable when it ends. */
  TASK,

  /** Those of a process share objects, but for large ones, and are durable when all tasks ended. */
  PROCESS,

  /** As PROCESS, and they are made durable while the barriers that come are at work. */
  OVERLAPPED;

  /**
   * What is best. In one process nobody has to be asked to write what its tasks share. On a cluster
   * that takes one more Spark job, which costs more than files do, and less than requests to an
   * object store.
   *
   * @param durable whether they are to be durable when the barrier ends, or soon after it
   * @param overlaps whether soon after it is soon enough: where all tasks are in one process, for
   *     only that one can read what is not durable
   * @param filling whether the barrier fills views: with rows of an epoch that is published
   *     already, and with many
   * @param oneProcess whether all tasks run in this process
   * @param highLatency whether storage has high latency, see {@code ObjectStore.hasHighLatency}
   * @param told {@code task} or {@code process}: who shares objects, whatever is best; or empty
   */
  public static FlushPolicy of(boolean durable, boolean overlaps, boolean filling,
      boolean oneProcess, boolean highLatency, String told) {
    if (!durable) {
      return CHECKPOINT;
    }
    if (filling) {
      return ALONE;
    }
    FlushPolicy found = switch (told) {
      case "task" -> TASK;
      case "process" -> PROCESS;
      case "" -> oneProcess || highLatency ? PROCESS : TASK;
      default ->
        throw new EngineException(ErrorCode.INVALID_ARGUMENT,
            "spark.groundswell.packs is '" + told + "': it can be task or process");
    };
    return overlaps && oneProcess && found == PROCESS ? OVERLAPPED : found;
  }
}
