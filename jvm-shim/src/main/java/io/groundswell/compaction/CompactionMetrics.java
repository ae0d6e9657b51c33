package io.groundswell.compaction;

import java.util.concurrent.atomic.LongAdder;

/** What the merges of one store did. */
public final class CompactionMetrics {
  public final LongAdder runs = new LongAdder();
  public final LongAdder failures = new LongAdder();

  /** Finished merges that no commit could take in. */
  public final LongAdder discarded = new LongAdder();

  public final LongAdder bytesWritten = new LongAdder();
  public final LongAdder entriesDropped = new LongAdder();

  /** The last failure's message, or null. */
  public volatile String lastFailure;
}
