package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import io.groundswell.memtable.MemTable;
import io.groundswell.memtable.MemTableCursor;
import io.groundswell.sst.SstInfo;
import io.groundswell.sst.SstOptions;
import io.groundswell.sst.SstWriter;
import io.groundswell.sst.WrittenBlocks;
import io.groundswell.version.CommitFooter;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import io.groundswell.version.VersionInvariants;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The bytes of a commit: SST section if there are rows, those of merges that it carries, then
 * manifest and footer. Writes them to
 * any stream and publishes nothing; where they end up is the caller's business.
 */
final class CommitRegion {
  /**
   * Where the region will be found.
   *
   * @param object name of the object that holds it
   * @param offset of its first byte in there
   */
  record Place(String object, long offset) {}

  /**
   * What was written.
   *
   * @param bytes of the region, without what it carries
   * @param places of what it carries, by provisional name
   */
  record Sealed(Version version, long bytes, long rows, Map<String, SstInfo> places) {}

  private CommitRegion() {}

  /** Writes the rows of a mem-table, then the rest; the rows' blocks are kept for the cache. */
  static Sealed write(OutputStream out, Place place, SstOptions options, CommitPlan plan,
      MemTable batch, WrittenBlocks kept) throws IOException {
    SstInfo sst = writeRows(out, place, options, plan.tables()::layout, batch, kept);
    return finish(
        out, place, plan, sst == null ? null : Run.of(sst), sst == null ? 0 : sst.length());
  }

  /** Writes all but the rows, for a batch whose rows are in files of their own. */
  static Sealed write(OutputStream out, Place place, CommitPlan plan, Run ownRows)
      throws IOException {
    return finish(out, place, plan, ownRows, 0);
  }

  private static Sealed finish(OutputStream out, Place place, CommitPlan plan, Run ownRows,
      long rowBytes) throws IOException {
    writeCarried(out, plan);
    Map<String, SstInfo> places = plan.places(place.object(), place.offset() + rowBytes);
    Version version = plan.version(ownRows, places);
    byte[] end = end(version, rowBytes + plan.carriedBytes());
    out.write(end, 0, end.length);
    return new Sealed(
        version, rowBytes + end.length, ownRows == null ? 0 : ownRows.entries(), places);
  }

  static void writeCarried(OutputStream out, CommitPlan plan) throws IOException {
    for (byte[] file : plan.carried().values()) {
      out.write(file, 0, file.length);
    }
  }

  /** Manifest and footer, which follow so many bytes of sections. */
  static byte[] end(Version version, long dataBytes) {
    String violation = VersionInvariants.violation(version);
    if (violation != null) {
      throw new IllegalStateException(
          "refusing to commit version " + version.number() + ": it has " + violation);
    }
    return CommitFooter.seal(version, dataBytes);
  }

  /** Writes a mem-table's rows as an SST section, kept unless null; null if it has none. */
  static SstInfo writeRows(OutputStream out, Place place, SstOptions options,
      IntFunction<TableSpec.Layout> layouts, MemTable batch, WrittenBlocks kept)
      throws IOException {
    SstWriter sst = null;
    for (int tableId : batch.tableIds()) {
      MemTableCursor rows = batch.all(tableId);
      if (rows == null) {
        continue;
      }
      for (rows.seekToFirst(); rows.valid; rows.next()) {
        if (sst == null) {
          sst = new SstWriter(out, place.offset(), options, layouts).keep(kept);
        }
        sst.add(
            rows.key, rows.keyLength, rows.delete, rows.value, rows.valueOffset, rows.valueLength);
      }
      rows.close();
    }
    return sst == null ? null : sst.finish(place.object());
  }
}
