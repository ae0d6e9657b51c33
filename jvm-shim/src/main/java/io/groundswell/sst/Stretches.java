package io.groundswell.sst;

import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The stretches of one file: how often each was missed, and which are being read. */
final class Stretches {
  private final AtomicIntegerArray misses;
  private final AtomicReferenceArray<FutureTask<Void>> requests;

  /** Of a file with so many bytes of blocks. */
  Stretches(long bytes) {
    int count = (int) (bytes / FetchPlan.STRETCH_BYTES) + 1;
    misses = new AtomicIntegerArray(count);
    requests = new AtomicReferenceArray<>(count);
  }

  int count() {
    return misses.length();
  }

  /** The stretch in which a block starts. */
  static int of(long offset) {
    return (int) (offset / FetchPlan.STRETCH_BYTES);
  }

  /** Counts one more; gives how many that makes. */
  int miss(int stretch) {
    return misses.incrementAndGet(stretch);
  }

  /** The request under way, or about to be; null if there is none. */
  FutureTask<Void> request(int stretch) {
    return requests.get(stretch);
  }

  /** Notes a request that will be made, unless there is one; gives the one that counts. */
  FutureTask<Void> request(int stretch, Runnable read) {
    FutureTask<Void> mine = new FutureTask<>(() -> {
      try {
        read.run();
      } finally {
        requests.set(stretch, null);
      }
    }, null);
    return requests.compareAndSet(stretch, null, mine) ? mine : requests.get(stretch);
  }
}
