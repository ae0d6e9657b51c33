package io.groundswell.compaction;

import io.groundswell.sst.SstInfo;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.version.Levels;
import io.groundswell.version.Run;
import io.groundswell.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A finished merge as one process tells it to another: which files of which version it has read,
 * and what came out. Its files stand in storage, and no version refers to them before a commit
 * takes it in. docs/format.md has the layout.
 *
 * @param number of the version that it was picked on
 * @param id of that version
 * @param kind why it was done
 * @param inputs newest first: of each sub-level or level the names of files, with their offsets
 * @param target the level of the result
 * @param bottom whether tombstones went
 * @param safeEpoch no reader needs an older state from the result
 * @param files of the result, in key order
 */
public record MergeRecord(long number, String id, Pick.Kind kind, List<Inputs> inputs, int target,
    boolean bottom, long safeEpoch, List<SstInfo> files) {
  private static final int FORMAT = 1;

  /** Files of a sub-level, or of a level. */
  record Inputs(int level, List<Place> files) {}

  /** Where a file is; one object may hold several. */
  record Place(String file, long offset) {
    static Place of(SstInfo info) {
      return new Place(info.fileName(), info.offset());
    }
  }

  static MergeRecord of(CompactionResult done) {
    CompactionTask task = done.task();
    Version base = task.base();
    return new MergeRecord(base.number(), base.id(), task.pick().kind(),
        task.pick()
            .inputs()
            .stream()
            .map(part -> new Inputs(part.level(), part.files().stream().map(Place::of).toList()))
            .toList(),
        task.pick().target(), task.bottom(), task.safeEpoch(), done.files());
  }

  /** What it is on the version that it was picked on; null if that one does not have its inputs. */
  CompactionResult on(Version base) {
    Pick pick = pick(base.levels());
    return pick == null ? null
                        : new CompactionResult(new CompactionTask(base, pick,
                                                   new CutPlan(List.of(), 0, 0), bottom, safeEpoch),
                              files, Map.of());
  }

  /** What was picked, if a tree has all of it still; else null. */
  Pick pick(Levels levels) {
    Map<Place, SstInfo> known = new HashMap<>();
    levels.files().forEach(file -> known.put(Place.of(file), file));
    List<Pick.Part> parts = new ArrayList<>();
    for (Inputs part : inputs) {
      if (!known.keySet().containsAll(part.files())) {
        return null;
      }
      parts.add(new Pick.Part(part.level(), part.files().stream().map(known::get).toList()));
    }
    Pick pick = new Pick(kind, parts, target);
    return PickValidator.violation(levels, pick) == null ? pick : null;
  }

  /** Bytes of its inputs, in a tree that has them. */
  public long bytesRead(Levels levels) {
    Pick pick = pick(levels);
    return pick == null ? 0 : pick.bytes();
  }

  public byte[] encode() {
    ByteWriter out = new ByteWriter(256);
    out.u8(FORMAT).varint(number).string(id).string(kind.name());
    out.varint(inputs.size());
    for (Inputs part : inputs) {
      out.varint(part.level()).varint(part.files().size());
      part.files().forEach(place -> out.string(place.file()).varint(place.offset()));
    }
    out.varint(target).u8(bottom ? 1 : 0).varint(safeEpoch).varint(files.size());
    files.forEach(file -> file.encode(out));
    return out.toBytes();
  }

  /**
   * Raises {@code CORRUPTION} if the bytes are no such record.
   *
   * @param what for messages
   */
  public static MergeRecord decode(String what, byte[] bytes) {
    ByteReader in = new ByteReader(what, bytes, 0, bytes.length);
    int format = in.u8();
    if (format != FORMAT) {
      throw in.corrupt("it has format " + format + ", and " + FORMAT + " is known");
    }
    long number = in.varint();
    String id = in.string();
    Pick.Kind kind = kind(in);
    List<Inputs> inputs = new ArrayList<>();
    Set<Place> seen = new HashSet<>();
    for (int parts = in.count(in.remaining()); parts > 0; parts--) {
      int level = in.count(Levels.DEEPEST);
      List<Place> places = new ArrayList<>();
      for (int n = in.count(in.remaining()); n > 0; n--) {
        places.add(new Place(in.string(), in.varint()));
      }
      if (!seen.addAll(places)) {
        throw in.corrupt("it names a file twice");
      }
      inputs.add(new Inputs(level, places));
    }
    int target = in.count(Levels.DEEPEST);
    boolean bottom = in.u8() != 0;
    long safeEpoch = in.varint();
    List<SstInfo> files = new ArrayList<>();
    for (int n = in.count(in.remaining()); n > 0; n--) {
      files.add(SstInfo.decode(in));
    }
    in.expectEnd();
    new Run(files); // in key order, or it says what is wrong
    return new MergeRecord(number, id, kind, inputs, target, bottom, safeEpoch, files);
  }

  private static Pick.Kind kind(ByteReader in) {
    String name = in.string();
    for (Pick.Kind kind : Pick.Kind.values()) {
      if (kind.name().equals(name)) {
        return kind;
      }
    }
    throw in.corrupt("'" + name + "' is not a kind of merge");
  }
}
