package io.groundswell.compaction;

/** A result that no commit took in so far. */
final class WaitingResult {
  final CompactionResult result;

  /** Bytes reserved for it, if it is carried. */
  final long reserved;

  /** A commit may have become visible with it, whatever its caller heard. */
  boolean offered;

  WaitingResult(CompactionResult result, long reserved) {
    this.result = result;
    this.reserved = reserved;
  }
}
