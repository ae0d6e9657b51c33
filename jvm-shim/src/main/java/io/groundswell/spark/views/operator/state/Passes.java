package io.groundswell.spark.views.operator.state;

import io.groundswell.memtable.MemoryBudget;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Runs an operator that collects a barrier's changes by key in as many passes as memory needs. What
 * fits is one pass, and touches no disk. Else rows go into {@link KeyParts}, and each part is a
 * pass of its own: all rows, the grace partitioning of hash joins, or those of keys that the
 * operator does not hold yet, hybrid hashing. A part that is still too large is cut again, {@link
 * #LEVELS} times at most: what is too large then are rows of few keys.
 */
public final class Passes implements Iterator<InternalRow> {
  /** What an operator holds of a barrier, or of a part of it. */
  public interface Collector {
    /** Takes a row of an input; returns how many bytes more it holds now, about. */
    long add(int input, InternalRow row);

    /** How many rows of the operator's input that row stands for. */
    default long rows(int input, InternalRow row) {
      return 1;
    }

    /** Writes early what need not be held to the end; returns how many bytes less it holds. */
    default long release() {
      return 0;
    }

    /** Moves what it holds to {@code parts}, or keeps the keys that it has. */
    default void moveAll(Target parts) {}

    /**
     * Takes a row of an input after {@link #moveAll}: moves it to {@code parts}, unless its key was
     * kept.
     */
    void move(int input, InternalRow row, Target parts);

    /** What follows from what it holds, to be taken to its end before another one is asked. */
    Iterator<InternalRow> changes();
  }

  /** Takes rows that are to be held in a later pass. */
  @FunctionalInterface
  public interface Target {
    void add(int input, int keyHash, int weight, UnsafeRow row);
  }

  private static final int LEVELS = 3;

  /** The budget is asked whenever so many bytes more are held. */
  private static final long ASK_EVERY = 32 << 10;

  private final Supplier<Collector> collectors;
  private final int[] columns;
  private final MemoryBudget budget;
  private final int level;
  private final KeyParts parts;
  private Iterator<InternalRow> current = List.<InternalRow>of().iterator();
  private int next;

  private Passes(Supplier<Collector> collectors, int[] columns, MemoryBudget budget, int level) {
    this.collectors = collectors;
    this.columns = columns;
    this.budget = budget;
    this.level = level;
    KeyParts files = new KeyParts(level);
    this.parts = files;
    TaskContext task = TaskContext.get();
    if (task != null) { // which refers to the files alone: it goes on with other operators
      task.addTaskCompletionListener((TaskCompletionListener) ended -> files.close());
    }
  }

  /**
   * The changes that follow from a barrier's inputs; takes these to their end.
   *
   * @param collectors makes an empty one for each pass
   * @param columns of each input, without the weight
   * @param counters takes the number of rows
   */
  public static Iterator<InternalRow> over(List<Iterator<InternalRow>> inputs,
      Supplier<Collector> collectors, int[] columns, MemoryBudget budget,
      OperatorCounters counters) {
    return over(inputs, collectors, columns, budget, counters, 0);
  }

  private static Iterator<InternalRow> over(List<Iterator<InternalRow>> inputs,
      Supplier<Collector> collectors, int[] columns, MemoryBudget budget, OperatorCounters counters,
      int level) {
    Collector collector = collectors.get();
    MemoryBudget.Share share = budget.open();
    TaskContext task = TaskContext.get();
    if (task != null) {
      task.addTaskCompletionListener((TaskCompletionListener) ended -> share.close());
    }
    Passes passes = null;
    long step = Math.min(ASK_EVERY, budget.total() / 8);
    long held = 0;
    long asked = 0;
    long rows = 0;
    for (int input = 0; input < inputs.size(); input++) {
      for (Iterator<InternalRow> from = inputs.get(input); from.hasNext();) {
        InternalRow row = from.next();
        if (passes != null) {
          collector.move(input, row, passes.parts::add);
        } else {
          held += collector.add(input, row);
        }
        rows += collector.rows(input, row);
        if (passes != null || held - asked < step) {
          continue;
        }
        asked = held;
        if (share.exceededBy(held)) {
          held -= collector.release();
          asked = held;
          Mark.PASS_OF_FEW_KEYS.hitIf(level == LEVELS);
          if (level < LEVELS && share.exceededBy(held)) {
            Mark.BARRIER_IN_PASSES.hitIf(level == 0);
            passes = new Passes(collectors, columns, budget, level);
            Mark.PASS_CUT_AGAIN.hitIf(level > 0);
            collector.moveAll(passes.parts::add);
          }
        }
      }
    }
    counters.rowsIn += rows;
    share.exceededBy(held);
    Iterator<InternalRow> changes = new Held(collector.changes(), share);
    if (passes == null) {
      return changes;
    }
    passes.parts.finish();
    passes.current = changes;
    return passes;
  }

  @Override
  public boolean hasNext() {
    while (!current.hasNext()) {
      if (next > 0) {
        parts.delete(next - 1);
      }
      while (next < KeyParts.PARTS && !parts.has(next)) {
        next++;
      }
      if (next == KeyParts.PARTS) {
        current = Collections.emptyIterator();
        return false;
      }
      int part = next++;
      List<Iterator<InternalRow>> inputs = new ArrayList<>();
      for (int input = 0; input < columns.length; input++) {
        inputs.add(parts.rows(part, input, columns[input]));
      }
      current = over(inputs, collectors, columns, budget, new OperatorCounters(), level + 1);
    }
    return true;
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return current.next();
  }

  /** Changes of what is in memory; at their end the share is given back. */
  private static final class Held implements Iterator<InternalRow> {
    private Iterator<InternalRow> changes; // let go of at the end
    private final MemoryBudget.Share share;

    Held(Iterator<InternalRow> changes, MemoryBudget.Share share) {
      this.changes = changes;
      this.share = share;
    }

    @Override
    public boolean hasNext() {
      if (changes.hasNext()) {
        return true;
      }
      changes = Collections.emptyIterator();
      share.close();
      return false;
    }

    @Override
    public InternalRow next() {
      return changes.next();
    }
  }
}
