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
}
