package io.groundswell.memtable;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that holders of one kind in a JVM may hold together: mem-tables, what operators
 * collect, or rows on their way between them. Nobody waits: a holder that grows while the budget is
 * used up spills, unless it holds less than half of an equal share. So large holders make room, and
 * small ones are left in peace. Safe for many threads.
 */
public final class MemoryBudget {
  /** Spilling less than this is not worth a file, however small the budget. */
  private static final long SMALLEST_SPILL = 64 << 10;

  private final long total;
  private final AtomicLong used = new AtomicLong();
  private final AtomicInteger shares = new AtomicInteger();

  public MemoryBudget(long total) {
    this.total = total;
  }

  /** Bytes that are to be held at most. */
  public long total() {
    return total;
  }

  /** Bytes held, as last reported. */
  public long used() {
    return used.get();
  }

  /** Takes up so many bytes; false if that is too much, and nothing was taken. */
  public boolean take(long bytes) {
    if (used.addAndGet(bytes) > total) {
      used.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** Gives back what was taken. */
  public void giveBack(long bytes) {
    used.addAndGet(-bytes);
  }

  /** A share for one holder, to be closed with it. */
  public Share open() {
    shares.incrementAndGet();
    return new Share();
  }

  /** One holder's part. One thread at a time. */
  public final class Share implements AutoCloseable {
    private long held;
    private boolean open = true;

    private Share() {}

    /** Reports what it holds now; true if it should spill. */
    public boolean exceededBy(long bytes) {
      long all = used.addAndGet(bytes - held);
      held = bytes;
      return all > total
          && bytes > Math.max(Math.min(SMALLEST_SPILL, total), total / (2L * shares.get()));
    }

    @Override
    public void close() {
      if (open) {
        open = false;
        used.addAndGet(-held);
        held = 0;
        shares.decrementAndGet();
      }
    }
  }
}
