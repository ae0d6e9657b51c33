package io.groundswell.engine;

import io.groundswell.checkpoint.Destination;
import io.groundswell.memtable.MemTable;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstOptions;
import io.groundswell.sst.WrittenBlocks;
import io.groundswell.storage.FileNames;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Hands a commit to those who make it durable later. Its manifest is made when its place is. */
final class CommitFinisher implements Destination.Tail {
  private static final long MAX_GUESS = 64 << 20;

  /** A commit in a shared object; which of those that it refers to are mostly dead. */
  record Shared(CommitRegion.Sealed sealed, Set<String> sparse) {}

  private CommitPlan plan;
  private final SstInfo rows;
  private final int dataBytes;
  private SstInfo placed;
  private Map<String, SstInfo> places;
  private Version version;
  private int endBytes;

  private CommitFinisher(CommitPlan plan, SstInfo rows, int dataBytes) {
    this.plan = plan;
    this.rows = rows;
    this.dataBytes = dataBytes;
  }

  /** Has a pack take a commit; the rows' blocks are kept for the cache. */
  static Shared pack(Destination into, SstOptions options, CommitPlan plan, MemTable batch,
      long batchBytes, WrittenBlocks kept) throws IOException {
    ByteArrayOutputStream data = sections(batch);
    CommitFinisher tail = written(data, options, plan, batch, kept);
    Set<String> sparse = into.pack(plan.id(), plan.number(), batchBytes, data.toByteArray(), tail);
    if (tail.placed != null) {
      kept.moved(tail.placed);
    }
    return new Shared(tail.sealed(), sparse);
  }

  /** Has room for about what the rows take, so that it need not grow. */
  private static ByteArrayOutputStream sections(MemTable batch) {
    return new ByteArrayOutputStream((int) Math.min(MAX_GUESS, batch.memoryBytes()));
  }

  private static CommitFinisher written(ByteArrayOutputStream data, SstOptions options,
      CommitPlan plan, MemTable batch, WrittenBlocks kept) throws IOException {
    SstInfo rows = CommitRegion.writeRows(
        data, new CommitRegion.Place("", 0), options, plan.tables()::layout, batch, kept);
    CommitRegion.writeCarried(data, plan);
    return new CommitFinisher(plan, rows, data.size());
  }

  private CommitRegion.Sealed sealed() {
    long bytes = dataBytes - plan.carriedBytes() + endBytes;
    return new CommitRegion.Sealed(version, bytes, rows == null ? 0 : rows.entries(), places);
  }

  @Override
  public byte[] at(String id, String pack, long offset) {
    plan = plan.as(id);
    places = plan.places(pack, offset + (rows == null ? 0 : rows.length()));
    placed = rows == null ? null : rows.at(pack, offset);
    version = plan.version(placed == null ? null : Run.of(placed), places);
    byte[] end = CommitRegion.end(version, dataBytes);
    endBytes = end.length;
    return end;
  }

  @Override
  public Map<String, Long> packs() {
    return packs(version);
  }

  /** The packs that a version's files are in, and how many bytes they have in each. */
  static Map<String, Long> packs(Version version) {
    return version.levels()
        .files()
        .filter(file
            -> file.fileName().endsWith(FileNames.PACK_SUFFIX)
                && !FileNames.isElsewhere(file.fileName()))
        .collect(Collectors.toMap(SstInfo::fileName, SstInfo::length, Long::sum));
  }
}
