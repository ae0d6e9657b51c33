package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the merges of one store did. */
public final class CompactionMetrics {
  private final Map<Pick.Kind, LongAdder> kinds = new EnumMap<>(Pick.Kind.class);

  /** Finished merges; moves are none. */
  public final LongAdder runs = new LongAdder();

  public final LongAdder failures = new LongAdder();

  /** Finished merges that no commit could take in. */
  public final LongAdder discarded = new LongAdder();

  /** Merges of another process that were taken for own ones. */
  public final LongAdder accepted = new LongAdder();

  public final LongAdder bytesRead = new LongAdder();
  public final LongAdder bytesWritten = new LongAdder();
  public final LongAdder entriesDropped = new LongAdder();

  /** Files that a commit left out unread: tables dropped, or rows below watermarks. */
  public final LongAdder filesDropped = new LongAdder();

  /** The last failure's message, or null. */
  public volatile String lastFailure;

  public CompactionMetrics() {
    for (Pick.Kind kind : Pick.Kind.values()) {
      kinds.put(kind, new LongAdder());
    }
  }

  /** Counts a merge that has been done here. */
  void done(CompactionResult done) {
    Pick pick = done.task().pick();
    runs.increment();
    of(pick.kind()).increment();
    bytesRead.add(pick.bytes());
    bytesWritten.add(done.files().stream().mapToLong(SstInfo::length).sum());
    entriesDropped.add(
        CompactionPicker.entries(pick) - done.files().stream().mapToLong(SstInfo::entries).sum());
  }

  /** How many tasks of a kind were done. */
  public LongAdder of(Pick.Kind kind) {
    return kinds.get(kind);
  }
}
