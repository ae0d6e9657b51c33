package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The index that a pack of an epoch ends with; docs/format.md has the bytes. */
final class PackTrailer {
  /** Of the footer. */
  static final int FOOTER = 24;

  private static final int FORMAT = 1;
  private static final int CHECKED = 12;

  /** "GSWPACKS". */
  private static final long MAGIC = 0x4753575041434B53L;

  private PackTrailer() {}

  /** Index and footer. */
  static byte[] encode(String pack, Collection<PackIndex.Entry> commits) {
    TreeSet<String> packs = new TreeSet<>();
    commits.forEach(entry -> packs.addAll(entry.commit().packs().keySet()));
    packs.remove(pack);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    numbers.put(pack, 0);
    packs.forEach(name -> numbers.put(name, numbers.size()));
    ByteWriter out = new ByteWriter(64 * (commits.size() + packs.size()) + 64);
    out.varint(packs.size());
    packs.forEach(out::string);
    out.varint(commits.size());
    for (PackIndex.Entry entry : commits) {
      FinishedCommit commit = entry.commit();
      out.string(commit.store()).varint(entry.version());
      out.varint(commit.offset()).varint(commit.length()).varint(commit.packs().size());
      new TreeMap<>(commit.packs())
          .forEach((name, bytes) -> out.varint(numbers.get(name)).varint(bytes));
    }
    byte[] content = out.toBytes();
    out.u32(content.length).u32(FORMAT).u32(Checksum.of(content, 0, content.length));
    out.u32(Checksum.of(out.array(), content.length, CHECKED)).u64(MAGIC);
    return out.toBytes();
  }

  /** How many bytes index and footer have, by a pack's last bytes. */
  static int lengthOf(String what, byte[] tail, long packLength) {
    if (tail.length < FOOTER) {
      throw corrupt(what, "shorter than a footer: torn or foreign");
    }
    int start = tail.length - FOOTER;
    ByteReader in = new ByteReader(what, tail, start, FOOTER);
    int length = in.u32();
    int format = in.u32();
    in.u32();
    int own = in.u32();
    if (in.u64() != MAGIC) {
      throw corrupt(what, "it does not end with a pack's magic: torn or foreign");
    }
    if (own != Checksum.of(tail, start, CHECKED)) {
      throw corrupt(what, "the footer's checksum differs");
    }
    if (format != FORMAT) {
      throw new EngineException(ErrorCode.FORMAT_TOO_NEW,
          what + " has format " + format + ", this release reads up to " + FORMAT);
    }
    if (length < 0 || length > packLength - FOOTER) {
      throw corrupt(what, "an index of " + length + " bytes does not fit");
    }
    return length + FOOTER;
  }

  /** Reads what {@link #encode} gave; {@code what} names the pack in errors. */
  static PackIndex decode(String what, String pack, byte[] bytes) {
    int length = lengthOf(what, bytes, bytes.length) - FOOTER;
    if (length != bytes.length - FOOTER) {
      throw corrupt(what, "an index of " + length + " bytes does not fit");
    }
    if (new ByteReader(what, bytes, length + 8, 4).u32() != Checksum.of(bytes, 0, length)) {
      throw corrupt(what, "the index's checksum differs");
    }
    ByteReader in = new ByteReader(what + ", index", bytes, 0, length);
    List<String> packs = new ArrayList<>(List.of(pack));
    for (int n = in.count(in.remaining()); n > 0; n--) {
      String name = in.string();
      if (EpochIds.idOf(name) == null) {
        throw in.corrupt("'" + name + "' is not a name of an epoch's pack");
      }
      packs.add(name);
    }
    String id = EpochIds.idOf(pack);
    List<PackIndex.Entry> commits = new ArrayList<>();
    for (int n = in.count(in.remaining()); n > 0; n--) {
      String store = in.string();
      long version = in.varint();
      long offset = in.varint();
      long size = in.varint();
      if (version < 1 || offset < 0 || size < 0 || offset + size < 0) {
        throw in.corrupt(
            "version " + version + " of " + store + " has " + size + " bytes at " + offset);
      }
      Map<String, Long> needs = new HashMap<>();
      for (int m = in.count(packs.size()); m > 0; m--) {
        String needed = packs.get(in.count(packs.size() - 1));
        needs.put(needed, in.varint());
      }
      commits.add(
          new PackIndex.Entry(version, new FinishedCommit(store, id, pack, offset, size, needs)));
    }
    in.expectEnd();
    return PackIndex.of(commits);
  }

  private static EngineException corrupt(String what, String problem) {
    return new EngineException(ErrorCode.CORRUPTION, what + ": " + problem);
  }
}
