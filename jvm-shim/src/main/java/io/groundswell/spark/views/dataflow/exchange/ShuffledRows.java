package io.groundswell.spark.views.dataflow.exchange;

import com.google.common.collect.Iterators;
import io.groundswell.engine.EngineServices;
import io.groundswell.memtable.MemoryBudget;
import io.groundswell.spark.shims.SharedBlocks;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of one exchange, in the memory of the process that all of its tasks are in. */
final class ShuffledRows implements RowPages.Budget {
  private static final ConcurrentMap<Long, ShuffledRows> OPEN = new ConcurrentHashMap<>();
  private static final AtomicLong IDS = new AtomicLong();

  private final long id = IDS.incrementAndGet();
  private final long blocks = SharedBlocks.newGroup();
  private final AtomicLong names = new AtomicLong();
  private final MemoryBudget budget = EngineServices.shared().exchanged();
  private final AtomicLong held = new AtomicLong();
  private final int targets;
  private final AtomicReferenceArray<List<RowPages>> byTask;
  private final AtomicInteger ended = new AtomicInteger();

  private ShuffledRows(int tasks, int targets) {
    this.targets = targets;
    this.byTask = new AtomicReferenceArray<>(tasks);
  }

  /** Must be closed. */
  static ShuffledRows open(int tasks, int targets) {
    ShuffledRows made = new ShuffledRows(tasks, targets);
    OPEN.put(made.id, made);
    return made;
  }

  /**
   * The exchange of that id.
   *
   * @throws TaskKilledException its barrier has ended: nobody waits for this task. Spark ends it as
   *     one that is cancelled, which is no error of the job.
   */
  static ShuffledRows of(long id) {
    ShuffledRows found = OPEN.get(id);
    if (found == null) {
      throw new TaskKilledException("its barrier has ended");
    }
    return found;
  }

  long id() {
    return id;
  }

  int targets() {
    return targets;
  }

  @Override
  public boolean take(long bytes) {
    if (!budget.take(bytes)) {
      return false;
    }
    held.addAndGet(bytes);
    if (!OPEN.containsKey(id)) { // a task that goes on after its barrier has failed
      giveBack();
      of(id);
    }
    return true;
  }

  private void giveBack() {
    budget.giveBack(held.getAndSet(0));
  }

  @Override
  public String newBlock() {
    of(id); // else nobody would remove it
    return Long.toString(names.incrementAndGet());
  }

  @Override
  public long blocks() {
    return blocks;
  }

  /** Somewhere to put a task's rows, a place for each target. */
  List<RowPages> newPages() {
    List<RowPages> pages = new ArrayList<>();
    for (int target = 0; target < targets; target++) {
      pages.add(new RowPages(this));
    }
    return pages;
  }

  /** Takes what a task has partitioned; that of another attempt at it is forgotten. */
  void publish(int task, List<RowPages> pages) {
    pages.forEach(RowPages::finish);
    byTask.set(task, pages);
  }

  /** Notes that a task has nothing more to partition. */
  void end() {
    ended.incrementAndGet();
  }

  /** Notes that no task has anything to partition. */
  void endAll() {
    ended.set(tasks());
  }

  /** Tasks that have ended; each counts once, even if it was tried again. */
  int ended() {
    return Math.min(ended.get(), tasks());
  }

  int tasks() {
    return byTask.length();
  }

  boolean isEmpty() {
    for (int task = 0; task < byTask.length(); task++) {
      if (byTask.get(task) != null && byTask.get(task).stream().anyMatch(p -> p.rows() > 0)) {
        return false;
      }
    }
    return true;
  }

  /** A target's rows, task by task. */
  Iterator<InternalRow> rows(int target, int columns) {
    List<Iterator<InternalRow>> all = new ArrayList<>();
    for (int task = 0; task < byTask.length(); task++) {
      List<RowPages> pages = byTask.get(task);
      if (pages != null && pages.get(target).rows() > 0) {
        all.add(pages.get(target).read(columns));
      }
    }
    return all.size() == 1 ? all.get(0) : Iterators.concat(all.iterator());
  }

  void close() {
    OPEN.remove(id);
    giveBack();
    SharedBlocks.removeGroup(blocks);
  }
}
