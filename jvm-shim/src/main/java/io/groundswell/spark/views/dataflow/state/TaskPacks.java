package io.groundswell.spark.views.dataflow.state;

import io.groundswell.checkpoint.EpochIds;
import io.groundswell.checkpoint.EpochPack;
import io.groundswell.checkpoint.EpochPacks;
import io.groundswell.checkpoint.EpochSpace;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.TaskFailureListener;

/**
 * The packs that one task writes: one for what readers may name by an epoch, one for operators' own
 * state. They are durable before the task has succeeded, so whatever a report of it names is there.
 * What a task that fails has packed is lost with it, and it is run again.
 */
public final class TaskPacks {
  /** What is larger is published, and another one begun: so much is kept for one commit at most. */
  static final long MOST_BYTES = 4 << 20;

  private static final ConcurrentMap<Long, TaskPacks> OF_TASKS = new ConcurrentHashMap<>();

  private final Map<Integer, EpochPack> open = new TreeMap<>();
  private boolean failed;

  private TaskPacks() {}

  /** Those of a task that runs here. */
  public static TaskPacks of(TaskContext context) {
    return OF_TASKS.computeIfAbsent(context.taskAttemptId(), id -> {
      TaskPacks packs = new TaskPacks();
      context.addTaskFailureListener((TaskFailureListener) (task, error) -> packs.failed = true);
      context.addTaskCompletionListener((TaskCompletionListener) task -> {
        OF_TASKS.remove(id);
        packs.end();
      });
      return packs;
    });
  }

  /** Makes durable what a task has packed so far, if anything. */
  public static void publish(TaskContext context) {
    TaskPacks packs = OF_TASKS.get(context.taskAttemptId());
    if (packs != null) {
      packs.publish();
    }
  }

  /** How many tasks have packs here. */
  static int size() {
    return OF_TASKS.size();
  }

  /** What {@code commit} commits goes into the task's pack, unless it is large. */
  public <T> T within(EpochPacks folder, boolean readable, long epoch, Supplier<T> commit) {
    int group = readable ? EpochIds.READABLE : EpochIds.OWN;
    EpochPack pack = open.computeIfAbsent(group, any -> folder.begin(group, epoch));
    T result = EpochSpace.within(pack, commit);
    if (pack.length() > MOST_BYTES) {
      open.remove(group);
      publish(pack);
    }
    return result;
  }

  private void end() {
    if (failed) {
      open.values().forEach(EpochPack::discard);
      open.clear();
    } else {
      publish();
    }
  }

  private void publish() {
    while (!open.isEmpty()) {
      publish(open.remove(open.keySet().iterator().next()));
    }
  }

  private static void publish(EpochPack pack) {
    try {
      if (pack.length() > 0) {
        pack.publish();
      }
    } catch (IOException e) {
      throw new EngineException(ErrorCode.STORAGE, "cannot write a pack of commits: " + e, e);
    } finally {
      pack.discard();
    }
  }
}
