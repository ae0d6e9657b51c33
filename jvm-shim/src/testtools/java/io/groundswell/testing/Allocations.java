package io.groundswell.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What a thread allocates on the heap. */
public final class Allocations {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocations() {}

  /** Bytes that the work allocates on this thread, freed ones included. */
  public static long of(Runnable work) {
    long thread = Thread.currentThread().getId();
    long before = THREADS.getThreadAllocatedBytes(thread);
    work.run();
    return THREADS.getThreadAllocatedBytes(thread) - before;
  }

  /**
   * The same of a second run: the first one may have loaded classes, which is not its own doing.
   */
  public static long ofSecondRun(Runnable work) {
    of(work);
    return of(work);
  }
}
