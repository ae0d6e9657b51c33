package io.groundswell.version;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The tables of a version with their live-key counts. Immutable. Ids are never used again, so the
 * rows of a dropped table can stay in files until a merge passes by.
 */
public final class Catalogue {
  public static final int MAX_TABLES = 1 << 16;
  public static final Catalogue EMPTY = new Catalogue(List.of(), 0);

  /**
   * One table.
   *
   * @param liveKeys of a counted table, dead ones below its watermark included; else 0
   * @param watermark rows below it are dead
   */
  public record Entry(TableSpec spec, long liveKeys, Watermark watermark) {}

  private final TreeMap<Integer, Entry> byId = new TreeMap<>();
  private final TreeMap<String, TableSpec> byName = new TreeMap<>();
  private final int nextId;
  private final boolean watermarked;

  public Catalogue(Collection<Entry> entries, int nextId) {
    for (Entry entry : entries) {
      byId.put(entry.spec().id(), entry);
      byName.put(entry.spec().name(), entry.spec());
    }
    this.nextId = nextId;
    watermarked = entries.stream().anyMatch(entry -> entry.watermark().isSet());
  }

  /** The table, or null. */
  public TableSpec byName(String name) {
    return byName.get(name);
  }

  /** The table, or null. */
  public TableSpec byId(int id) {
    Entry entry = byId.get(id);
    return entry == null ? null : entry.spec();
  }

  /** Where rows of the table carry their hash; null if there is no such table. */
  public TableSpec.Layout layout(int id) {
    Entry entry = byId.get(id);
    return entry == null ? null : entry.spec().layout();
  }

  /** All tables by ascending id. */
  public List<Entry> entries() {
    return List.copyOf(byId.values());
  }

  public List<TableSpec> specs() {
    return byId.values().stream().map(Entry::spec).toList();
  }

  public long liveKeys(int id) {
    Entry entry = byId.get(id);
    return entry == null ? 0 : entry.liveKeys();
  }

  /** Rows of the table below this are dead; {@link Watermark#NONE} for an unknown table. */
  public Watermark watermark(int id) {
    Entry entry = watermarked ? byId.get(id) : null; // asked for each row
    return entry == null ? Watermark.NONE : entry.watermark();
  }

  /** With the table's watermark moved to there. */
  public Catalogue withWatermark(int id, Watermark watermark) {
    List<Entry> entries = new ArrayList<>(byId.values());
    entries.replaceAll(entry
        -> entry.spec().id() == id ? new Entry(entry.spec(), entry.liveKeys(), watermark) : entry);
    return new Catalogue(entries, nextId);
  }

  /** True if no watermark here stands below that of the same table under {@code earlier}. */
  public boolean watermarksCover(Catalogue earlier) {
    return byId.values().stream().allMatch(
        entry -> entry.watermark().covers(earlier.watermark(entry.spec().id())));
  }

  /** True if tables of both have the same watermarks. */
  public boolean watermarksEqual(Catalogue earlier) {
    return byId.values().stream().allMatch(
        entry -> entry.watermark().equals(earlier.watermark(entry.spec().id())));
  }

  /** The id that the next new table gets; all ids in use or ever used are below. */
  public int nextId() {
    return nextId;
  }

  public Catalogue with(String name, TableSpec.Layout layout, boolean counted) {
    if (nextId >= MAX_TABLES) {
      throw new EngineException(ErrorCode.INVALID_ARGUMENT,
          "table '" + name + "' would be number " + nextId + " of its store; the limit is "
              + MAX_TABLES + ", dropped tables included");
    }
    List<Entry> entries = new ArrayList<>(byId.values());
    entries.add(new Entry(new TableSpec(nextId, name, layout, counted), 0, Watermark.NONE));
    return new Catalogue(entries, nextId + 1);
  }

  public Catalogue without(String name) {
    List<Entry> entries = new ArrayList<>(byId.values());
    entries.removeIf(entry -> entry.spec().name().equals(name));
    return new Catalogue(entries, nextId);
  }

  /** True if every table here that existed under {@code earlier} is live there, too. */
  public boolean knownTo(Catalogue earlier) {
    return byId.keySet().stream().allMatch(id -> id >= earlier.nextId || earlier.byId(id) != null);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Catalogue that && nextId == that.nextId && byId.equals(that.byId);
  }

  @Override
  public int hashCode() {
    return byId.hashCode();
  }

  @Override
  public String toString() {
    return byId.values() + ", next id " + nextId;
  }
}
