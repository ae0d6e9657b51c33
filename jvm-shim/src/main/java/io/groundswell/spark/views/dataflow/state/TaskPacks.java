package io.groundswell.spark.views.dataflow.state;

import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.OpenPacks;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;

/**
 * The packs that one task writes. They are durable before the task has succeeded, so whatever a
 * report of it names is there. What a task that fails has packed is lost with it, and it is run
 * again.
 */
public final class TaskPacks {
  private static final ConcurrentMap<Long, OpenPacks> OF_TASKS = new ConcurrentHashMap<>();

  private TaskPacks() {}

  /** Those of a task that runs here. */
  public static OpenPacks of(TaskContext context, EpochPacks folder, long epoch) {
    return OF_TASKS.computeIfAbsent(context.taskAttemptId(), id -> {
      OpenPacks packs = folder.alone(epoch);
      // A failure is told before the end.
      context.addTaskFailureListener((TaskFailureListener) (task, error) -> packs.discard());
      context.addTaskCompletionListener((TaskCompletionListener) task -> {
        OF_TASKS.remove(id);
        end(packs);
      });
      return packs;
    });
  }

  /** Makes durable what a task has packed so far, if anything. */
  public static void publish(TaskContext context) {
    OpenPacks packs = OF_TASKS.get(context.taskAttemptId());
    if (packs != null) {
      packs.publish();
    }
  }

  /** How many tasks have packs here. */
  static int size() {
    return OF_TASKS.size();
  }

  private static void end(OpenPacks packs) {
    try {
      packs.publish();
    } finally {
      packs.discard();
    }
  }
}
