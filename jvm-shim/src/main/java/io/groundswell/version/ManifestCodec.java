package io.groundswell.version;

import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.sst.FileShare;
import io.groundswell.sst.SstInfo;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.FileNames;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a manifest: the full picture of one version. docs/format.md has the layout. */
public final class ManifestCodec {
  private static final int COUNTED = 1;
  private static final int ORDERED = 2;
  private static final int WATERMARK = 4;

  private ManifestCodec() {}

  public static byte[] encode(Version version) {
    ByteWriter out = new ByteWriter(1024);
    out.varint(version.number()).string(orEmpty(version.id())).string(orEmpty(version.baseId()));
    out.varint(version.safeEpoch());
    out.varint(version.tables().nextId());
    List<Catalogue.Entry> tables = version.tables().entries();
    out.varint(tables.size());
    for (Catalogue.Entry table : tables) {
      TableSpec spec = table.spec();
      out.varint(spec.id()).string(spec.name());
      out.u8((spec.counted() ? COUNTED : 0)
          | (spec.layout() == TableSpec.Layout.ORDERED ? ORDERED : 0)
          | (table.watermark().isSet() ? WATERMARK : 0));
      out.varint(table.liveKeys());
      if (table.watermark().isSet()) {
        out.blob(table.watermark().bound());
      }
    }
    boolean shares = hasShares(version);
    encode(version.levels().subLevels(), shares, out);
    encode(version.levels().lower(), shares, out);
    if (shares) {
      out.varint(version.tookOver());
    }
    out.varint(0); // extensions: none yet
    return out.toBytes();
  }

  /** Whether files may be shared with other stores: the format of such a manifest is 2. */
  static boolean hasShares(Version version) {
    return version.tookOver() > 0;
  }

  private static void encode(List<Run> runs, boolean shares, ByteWriter out) {
    out.varint(runs.size());
    for (Run run : runs) {
      out.varint(run.files().size());
      for (SstInfo file : run.files()) {
        file.encode(out);
        if (shares) {
          out.u8(file.share() == null ? 0 : 1);
          if (file.share() != null) {
            file.share().encode(out);
          }
        }
      }
    }
  }

  private static SstInfo file(ByteReader in, boolean shares) {
    SstInfo file = SstInfo.decode(in);
    boolean shared = shares && in.u8() != 0;
    if (FileNames.isElsewhere(file.fileName()) && !shared) {
      throw in.corrupt("'" + file.fileName() + "' is not shared, and not the store's own");
    }
    return shared ? file.shared(file.fileName(), FileShare.decode(in)) : file;
  }

  private static List<Run> runs(ByteReader in, int limit, boolean shares) {
    int runCount = in.count(limit);
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < runCount; i++) {
      int fileCount = in.count(in.remaining());
      List<SstInfo> files = new ArrayList<>();
      for (int j = 0; j < fileCount; j++) {
        files.add(file(in, shares));
      }
      runs.add(new Run(files));
    }
    return runs;
  }

  /** Facts that a later build may add, by name, and that a reader may do without. */
  private static void skipExtensions(ByteReader in) {
    for (int n = in.count(in.remaining()); n > 0; n--) {
      in.string();
      in.blob();
    }
  }

  /** Raises {@code CORRUPTION} unless the bytes are a manifest that keeps all invariants. */
  public static Version decode(ByteReader in) {
    return decode(in, CommitFooter.FORMAT);
  }

  /** As above, of a format that the footer says. */
  static Version decode(ByteReader in, int format) {
    boolean shares = format >= CommitFooter.SHARED_FORMAT;
    long number = in.varint();
    String id = orNull(in.string());
    String baseId = orNull(in.string());
    long safeEpoch = in.varint();
    int nextId = in.count(Catalogue.MAX_TABLES);
    int tableCount = in.count(nextId);
    List<Catalogue.Entry> tables = new ArrayList<>();
    for (int i = 0; i < tableCount; i++) {
      tables.add(table(in, shares));
    }
    Levels levels = new Levels(runs(in, in.remaining(), shares), runs(in, Levels.DEEPEST, shares));
    long tookOver = shares ? in.varint() : 0;
    skipExtensions(in);
    in.expectEnd();
    Version version =
        new Version(number, id, baseId, safeEpoch, levels, new Catalogue(tables, nextId), tookOver);
    String violation = VersionInvariants.violation(version);
    if (violation != null || version.tables().entries().size() != tableCount) {
      throw in.corrupt("the manifest has " + (violation == null ? "a table twice" : violation));
    }
    return version;
  }

  private static Catalogue.Entry table(ByteReader in, boolean shares) {
    int id = in.count(Catalogue.MAX_TABLES - 1);
    String name = in.string();
    int flags = in.u8();
    long liveKeys = in.varint();
    if (flags > (COUNTED | ORDERED | WATERMARK) || (liveKeys < 0 && !shares)) {
      throw in.corrupt("table '" + name + "' has flags " + flags + " and " + liveKeys + " keys");
    }
    TableSpec.Layout layout =
        (flags & ORDERED) != 0 ? TableSpec.Layout.ORDERED : TableSpec.Layout.HASHED;
    Watermark watermark = (flags & WATERMARK) != 0 ? new Watermark(in.blob()) : Watermark.NONE;
    return new Catalogue.Entry(
        new TableSpec(id, name, layout, (flags & COUNTED) != 0), liveKeys, watermark);
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }

  private static String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
