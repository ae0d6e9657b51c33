package io.groundswell.cache;

import java.util.concurrent.atomic.AtomicLong;

/** What one file has pinned, in a total; given back by the cleaner when the file is garbage. */
final class PinnedBytes implements Runnable {
  private final AtomicLong total;
  private final AtomicLong own = new AtomicLong();

  PinnedBytes(AtomicLong total) {
    this.total = total;
  }

  void set(long bytes) {
    total.addAndGet(bytes - own.getAndSet(bytes));
  }

  @Override
  public void run() {
    set(0);
  }
}
