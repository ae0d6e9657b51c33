package io.groundswell.engine;

import io.groundswell.version.ReadCounters;
import java.util.concurrent.atomic.LongAdder;

/** What one store counts; safe for many threads. */
final class StoreCounters {
  final LongAdder gets = new LongAdder();
  final LongAdder scans = new LongAdder();
  final LongAdder filterNegatives = new LongAdder();
  final LongAdder filterGetNegatives = new LongAdder();
  final LongAdder filterFalsePositives = new LongAdder();
  final LongAdder commits = new LongAdder();
  final LongAdder commitBytes = new LongAdder();
  final LongAdder rowsWritten = new LongAdder();

  /** Mem-tables written to files before their commit, and the bytes of those. */
  final LongAdder spills = new LongAdder();

  final LongAdder spilledBytes = new LongAdder();

  /** Time that commits waited for a merge because sub-levels piled up. */
  final LongAdder stallMillis = new LongAdder();

  final LongAdder manifestsRead = new LongAdder();
  final LongAdder retiredFiles = new LongAdder();

  /** Half-written objects of dead writers that were removed. */
  final LongAdder sweptFiles = new LongAdder();

  /** Adds what a reader counted, once, when it ends. */
  void add(ReadCounters reads) {
    gets.add(reads.gets);
    scans.add(reads.scans);
    filterNegatives.add(reads.filterNegatives);
    filterGetNegatives.add(reads.filterGetNegatives);
    filterFalsePositives.add(reads.filterFalsePositives);
  }

  void committed(long bytes, long rows) {
    commits.increment();
    commitBytes.add(bytes);
    rowsWritten.add(rows);
  }
}
