package io.groundswell.engine;

import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.sst.FileShare;
import io.groundswell.sst.SstInfo;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.Mark;
import io.groundswell.version.Catalogue;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What a store that is one of {@code count} partitions of a state takes over from the stores that
 * were {@code before} partitions of it: their files, by reference. No row is in two of those.
 */
public final class ImportedFiles {
  /**
   * A store before.
   *
   * @param number of its partition
   * @param folder of its files, from what all stores are in
   * @param packs folder of the packs that its files may be in, from there
   */
  public record From(int number, Snapshot snapshot, String folder, String packs) {
    private Version version() {
      return ((SnapshotReader) snapshot).base().version;
    }
  }

  private final Levels levels;
  private final Catalogue tables;

  private ImportedFiles(Levels levels, Catalogue tables) {
    this.levels = levels;
    this.tables = tables;
  }

  /**
   * Decides what is taken; reads nothing.
   *
   * @param all the stores of all partitions before that were ever written
   * @param byReference names the tables whose rows are taken over; others have no row then
   * @return null if the stores call tables by different numbers: then rows have to be rewritten
   */
  public static ImportedFiles of(
      List<From> all, int before, int number, int count, Predicate<String> byReference) {
    boolean whole = before == count;
    List<From> from = whole ? all.stream().filter(each -> each.number == number).toList() : all;
    Catalogue tables = tables(from, before, number, count, byReference);
    if (tables == null) {
      return null;
    }
    int common = gcd(before, count);
    List<Levels> trees = new ArrayList<>();
    for (From each : from) {
      if (each.number % common != number % common) {
        continue; // it has no hash in common
      }
      FileShare share = share(each, whole, number, count, byReference);
      Levels levels = share == null ? Levels.EMPTY : levels(each, share);
      if (levels.files().findAny().isPresent()) {
        trees.add(levels);
      }
    }
    return new ImportedFiles(stacked(trees), tables);
  }

  /** Whether there is any file. */
  public boolean hasFiles() {
    return levels.files().findAny().isPresent();
  }

  Version below(long version) {
    return new Version(version - 1, null, null, version - 1, levels, tables, version);
  }

  private static FileShare share(
      From from, boolean whole, int number, int count, Predicate<String> byReference) {
    List<FileShare.Table> tables = new ArrayList<>();
    for (Catalogue.Entry entry : from.version().tables().entries()) {
      if (byReference.test(entry.spec().name())) {
        tables.add(
            new FileShare.Table(entry.spec().id(), entry.spec().layout(), entry.watermark()));
      }
    }
    return tables.isEmpty()
        ? null
        : new FileShare(whole ? List.of() : List.of(new FileShare.Residue(count, number)), tables);
  }

  private static Levels levels(From from, FileShare share) {
    Levels all = from.version().levels();
    return new Levels(all.subLevels()
                          .stream()
                          .map(run -> run(from, run, share))
                          .filter(run -> !run.isEmpty())
                          .toList(),
        all.lower().stream().map(run -> run(from, run, share)).toList());
  }

  private static Run run(From from, Run run, FileShare share) {
    List<SstInfo> files = new ArrayList<>();
    for (SstInfo file : run.files()) {
      FileShare own = FileShare.of(file.share(), share);
      if (own != null
          && file.keyBounds().stream().anyMatch(bound -> own.table(bound.table()) != null)) {
        boolean packed = file.fileName().endsWith(FileNames.PACK_SUFFIX);
        files.add(file.shared(
            FileNames.elsewhere(packed ? from.packs : from.folder, file.fileName()), own));
      }
    }
    return new Run(files);
  }

  /** The largest stays as it is; the runs of the others come above, whatever their order. */
  private static Levels stacked(List<Levels> all) {
    if (all.isEmpty()) {
      return Levels.EMPTY;
    }
    Mark.TREES_STACKED.hitIf(all.size() > 1);
    Levels largest = all.stream().max(Comparator.comparingLong(Levels::bytes)).orElseThrow();
    List<Run> subLevels = new ArrayList<>(largest.subLevels());
    for (Levels each : all) {
      if (each != largest) {
        subLevels.addAll(each.runs());
      }
    }
    return new Levels(subLevels, largest.lower());
  }

  private static Catalogue tables(
      List<From> from, int before, int number, int count, Predicate<String> byReference) {
    Map<Integer, TableSpec> byId = new TreeMap<>();
    Map<String, TableSpec> byName = new TreeMap<>();
    Map<Integer, Long> live = new TreeMap<>();
    Map<Integer, Watermark> floors = new TreeMap<>();
    int nextId = 0;
    for (From each : from) {
      Catalogue own = each.version().tables();
      nextId = Math.max(nextId, own.nextId());
      for (Catalogue.Entry entry : own.entries()) {
        TableSpec spec = entry.spec();
        if (!spec.equals(byId.computeIfAbsent(spec.id(), id -> spec))
            || !spec.equals(byName.computeIfAbsent(spec.name(), name -> spec))) {
          Mark.TABLES_NUMBERED_DIFFERENTLY.hit();
          return null;
        }
        boolean taken = byReference.test(spec.name());
        if (taken) {
          live.merge(
              spec.id(), part(entry.liveKeys(), each.number, before, number, count), Long::sum);
        }
        Watermark floor = taken ? entry.watermark() : Watermark.NONE;
        floors.merge(spec.id(), floor, (a, b) -> a.covers(b) ? b : a);
      }
    }
    for (From each : from) { // an id that is another table's, dropped since, has rows still
      Catalogue own = each.version().tables();
      for (int id : byId.keySet()) {
        if (id < own.nextId() && own.byId(id) == null) {
          Mark.DROPPED_TABLE_HAS_ROWS.hit();
          return null;
        }
      }
    }
    List<Catalogue.Entry> entries = new ArrayList<>();
    byId.forEach(
        (id, spec)
            -> entries.add(new Catalogue.Entry(spec, live.getOrDefault(id, 0L), floors.get(id))));
    return new Catalogue(entries, nextId);
  }

  /**
   * Nobody knows how many of the live keys of a store before the new one gets: an equal part, so
   * that the sum is right. The number of one partition may fall below zero.
   */
  private static long part(long live, int from, int before, int number, int count) {
    if (before == count) {
      return from == number ? live : 0;
    }
    int common = gcd(before, count);
    if (from % common != number % common) {
      return 0;
    }
    int parts = count / common;
    return live / parts + (number / common < live % parts ? 1 : 0);
  }

  private static int gcd(int a, int b) {
    return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).intValue();
  }
}
