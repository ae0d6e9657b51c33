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
import java.util.Set;
import java.util.stream.Collectors;

/** Hands a commit to those who make it durable later. Its manifest is made when its place is. */
final class CommitSealer implements Deferral.Tail {
  private static final long MAX_GUESS = 64 << 20;

  private final CommitPlan plan;
  private final SstInfo rows;
  private final int dataBytes;
  private Version version;
  private int endBytes;

  private CommitSealer(CommitPlan plan, SstInfo rows, int dataBytes) {
    this.plan = plan;
    this.rows = rows;
    this.dataBytes = dataBytes;
  }

  static CommitRegion.Sealed seal(
      Deferral deferral, SstOptions options, CommitPlan plan, MemTable batch) throws IOException {
    // About what the rows take, so that it need not grow.
    ByteArrayOutputStream data =
        new ByteArrayOutputStream((int) Math.min(MAX_GUESS, batch.memoryBytes()));
    SstInfo rows = CommitRegion.writeRows(
        data, new CommitRegion.Place("", 0), options, plan.tables()::layout, batch, null);
    CommitSealer tail = new CommitSealer(plan, rows, data.size());
    deferral.seal(plan.id(), data.toByteArray(), tail);
    return new CommitRegion.Sealed(
        tail.version, tail.dataBytes + tail.endBytes, rows == null ? 0 : rows.entries());
  }

  @Override
  public byte[] at(String pack, long offset) {
    version = plan.version(rows == null ? null : Run.of(rows.at(pack, offset)));
    byte[] end = CommitRegion.end(version, dataBytes);
    endBytes = end.length;
    return end;
  }

  @Override
  public Set<String> packs() {
    return packs(version);
  }

  /** The packs that a version's files are in. */
  static Set<String> packs(Version version) {
    return version.files()
        .stream()
        .filter(file -> file.endsWith(FileNames.PACK_SUFFIX))
        .collect(Collectors.toSet());
  }
}
