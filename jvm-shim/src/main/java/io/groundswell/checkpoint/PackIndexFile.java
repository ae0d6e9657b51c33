package io.groundswell.checkpoint;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import io.groundswell.storage.Checksum;
import io.groundswell.storage.FileNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An index that is an object of its own: of the commits of one version, for all stores of a
 * checkpoint. docs/format.md has the bytes.
 */
final class PackIndexFile {
  /** Format 1 is the same, by release 0.1, whose runs know nothing of the owners of today. */
  private static final int FORMAT = 2;

  /** "GSWINDEX". */
  private static final long MAGIC = 0x475357494E444558L;

  private static final int FOOTER = 16;

  private PackIndexFile() {}

  /**
   * The bytes.
   *
   * @param version that the commits made
   * @param owner id of the run that released the batch
   * @param commits in no order; several of one store are attempts
   */
  static byte[] encode(long version, String owner, List<FinishedCommit> commits) {
    Set<String> packs = new TreeSet<>();
    commits.forEach(commit -> packs.addAll(commit.packs().keySet()));
    Map<String, Integer> numbers = new LinkedHashMap<>();
    packs.forEach(pack -> numbers.put(pack, numbers.size() + 1));
    ByteWriter out = new ByteWriter(64 * (commits.size() + packs.size()) + 64);
    out.varint(version).string(owner);
    out.varint(numbers.size());
    numbers.keySet().forEach(out::string);
    out.varint(commits.size());
    for (FinishedCommit commit : commits) {
      out.string(commit.store()).string(commit.id());
      out.varint(commit.pack() == null ? 0 : numbers.get(commit.pack()));
      out.varint(commit.offset()).varint(commit.length()).varint(commit.packs().size());
      new TreeMap<>(commit.packs())
          .forEach((pack, bytes) -> out.varint(numbers.get(pack)).varint(bytes));
    }
    byte[] content = out.toBytes();
    out.u32(checksum(content, content.length, FORMAT)).u32(FORMAT).u64(MAGIC);
    return out.toBytes();
  }

  /** From format 2 on it tells a damaged format, too. */
  private static int checksum(byte[] bytes, int length, int format) {
    return Checksum.of(bytes, 0, length) ^ (format > 1 ? format : 0);
  }

  /** Reads one back; {@code what} names it in errors. */
  static PackIndex decode(String what, byte[] bytes) {
    if (bytes.length < FOOTER) {
      throw corrupt(what, "shorter than a footer");
    }
    int length = bytes.length - FOOTER;
    ByteReader footer = new ByteReader(what, bytes, length, FOOTER);
    int checksum = footer.u32();
    int format = footer.u32();
    if (footer.u64() != MAGIC) {
      throw corrupt(what, "it does not end with an index's magic: torn or foreign");
    }
    if (format > FORMAT) {
      throw new EngineException(ErrorCode.FORMAT_TOO_NEW,
          what + " has format " + format + ", this release reads up to " + FORMAT);
    }
    if (format < 1 || checksum != checksum(bytes, length, format)) {
      throw corrupt(what, "the checksum differs");
    }
    ByteReader in = new ByteReader(what, bytes, 0, length);
    long version = in.varint();
    in.string(); // the owner
    List<String> packs = new ArrayList<>();
    for (int n = in.count(in.remaining()); n > 0; n--) {
      String pack = in.string();
      PackNames.Parsed name = PackNames.parse(pack);
      if (name == null || name.kind() != PackNames.Kind.PACK) {
        throw in.corrupt("'" + pack + "' is not a name of a pack");
      }
      packs.add(pack);
    }
    List<PackIndex.Entry> commits = new ArrayList<>();
    for (int n = in.count(in.remaining()); n > 0; n--) {
      String store = in.string();
      String id = in.string();
      int pack = in.count(packs.size());
      long start = in.varint();
      long size = in.varint();
      if (!FileNames.isId(id) || start < 0 || size < 0 || start + size < 0) {
        throw in.corrupt("commit '" + id + "' of " + store + " has " + size + " bytes at " + start);
      }
      commits.add(new PackIndex.Entry(version,
          new FinishedCommit(
              store, id, pack == 0 ? null : packs.get(pack - 1), start, size, needs(in, packs))));
    }
    in.expectEnd();
    if (version < 0) {
      throw in.corrupt("it is of version " + version);
    }
    return PackIndex.of(commits);
  }

  private static Map<String, Long> needs(ByteReader in, List<String> packs) {
    Map<String, Long> needs = new HashMap<>();
    for (int n = in.count(packs.size()); n > 0; n--) {
      int pack = in.count(packs.size());
      long bytes = in.varint();
      if (pack == 0 || bytes < 0) {
        throw in.corrupt("a commit has " + bytes + " bytes in pack " + pack);
      }
      needs.put(packs.get(pack - 1), bytes);
    }
    return needs;
  }

  private static EngineException corrupt(String what, String problem) {
    return new EngineException(ErrorCode.CORRUPTION, what + ": " + problem);
  }
}
