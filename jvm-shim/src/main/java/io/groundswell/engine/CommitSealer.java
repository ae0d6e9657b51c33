package io.groundswell.engine;

import io.groundswell.checkpoint.Deferral;
import io.groundswell.memtable.MemTable;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstOptions;
import io.groundswell.storage.FileNames;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Hands a commit to those who make it durable later. Its manifest is made when its place is. */
final class CommitSealer implements Deferral.Tail {
  private static final long MAX_GUESS = 64 << 20;

  /** A commit in a shared object; which of those that it refers to are mostly dead. */
  record Shared(CommitRegion.Sealed sealed, Set<String> sparse) {}

  private final CommitPlan plan;
  private final SstInfo rows;
  private final int dataBytes;
  private Map<String, SstInfo> places;
  private Version version;
  private int endBytes;

  private CommitSealer(CommitPlan plan, SstInfo rows, int dataBytes) {
    this.plan = plan;
    this.rows = rows;
    this.dataBytes = dataBytes;
  }

  static Shared seal(Deferral deferral, SstOptions options, CommitPlan plan, MemTable batch)
      throws IOException {
    // About what the rows take, so that it need not grow.
    ByteArrayOutputStream data =
        new ByteArrayOutputStream((int) Math.min(MAX_GUESS, batch.memoryBytes()));
    SstInfo rows = CommitRegion.writeRows(
        data, new CommitRegion.Place("", 0), options, plan.tables()::layout, batch, null);
    CommitRegion.writeCarried(data, plan);
    CommitSealer tail = new CommitSealer(plan, rows, data.size());
    Set<String> sparse = deferral.seal(plan.id(), data.toByteArray(), tail);
    long bytes = tail.dataBytes - plan.carriedBytes() + tail.endBytes;
    return new Shared(new CommitRegion.Sealed(
                          tail.version, bytes, rows == null ? 0 : rows.entries(), tail.places),
        sparse);
  }

  @Override
  public byte[] at(String pack, long offset) {
    places = plan.places(pack, offset + (rows == null ? 0 : rows.length()));
    version = plan.version(rows == null ? null : Run.of(rows.at(pack, offset)), places);
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
