package io.groundswell.sst;

import io.groundswell.key.InternalKey;
import io.groundswell.key.TableSpec;
import io.groundswell.key.Watermark;
import io.groundswell.storage.ByteReader;
import io.groundswell.storage.ByteWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * What a version has of a file that others have, too: the rows of some tables whose partition hash
 * has all of these residues, and that are not below the table's floor. All else in the file is as
 * if it were not there.
 *
 * @param residues none: rows of all hashes
 * @param tables by ascending id; others are left out
 */
public record FileShare(List<Residue> residues, List<Table> tables) {
  private static final int MOST_COUNT = 1 << 16;
  private static final int MOST_RESIDUES = 64;

  /** Hashes that leave {@code number} when they are divided by {@code count}. */
  public record Residue(int count, int number) {
    boolean has(int hash) {
      return Math.floorMod(hash, count) == number;
    }
  }

  /**
   * A table of which rows are there.
   *
   * @param floor rows with smaller user keys are dead
   */
  public record Table(int id, TableSpec.Layout layout, Watermark floor) {}

  public FileShare {
    residues = List.copyOf(residues);
    tables = List.copyOf(tables);
  }

  /** What is in both; null if no row can be. */
  public static FileShare of(FileShare before, FileShare now) {
    List<Residue> residues = new ArrayList<>(now.residues);
    for (Residue old : before == null ? List.<Residue>of() : before.residues) {
      if (!agree(old, now.residues)) {
        return null;
      }
      if (now.residues.stream().noneMatch(each -> each.count % old.count == 0)) {
        residues.add(old);
      }
    }
    List<Table> tables = new ArrayList<>();
    for (Table table : now.tables) {
      Table old = before == null ? table : before.table(table.id);
      if (old != null) {
        Watermark floor = table.floor.covers(old.floor) ? table.floor : old.floor;
        tables.add(new Table(table.id, table.layout, floor));
      }
    }
    return tables.isEmpty() ? null : new FileShare(residues, tables);
  }

  /** Whether some hash has the residue and all the others. */
  private static boolean agree(Residue one, List<Residue> others) {
    return others.stream().allMatch(other -> {
      int common = BigInteger.valueOf(one.count).gcd(BigInteger.valueOf(other.count)).intValue();
      return one.number % common == other.number % common;
    });
  }

  /** Null if no row of the table is there. */
  public Table table(int id) {
    for (Table table : tables) { // there are a few
      if (table.id == id) {
        return table;
      }
    }
    return null;
  }

  /** Whether the row of the stem in these bytes is there. */
  public boolean has(byte[] bytes, int stemLength) {
    Table table = table(InternalKey.tableAt(bytes, 0));
    if (table == null) {
      return false;
    }
    int length = stemLength + InternalKey.EPOCH_BYTES;
    return hasHash(InternalKey.hashOf(table.layout, bytes, length))
        && !table.floor.hidesRow(table.layout, bytes, length);
  }

  /** Whether rows of that partition hash can be there. */
  public boolean hasHash(int hash) {
    for (Residue residue : residues) {
      if (!residue.has(hash)) {
        return false;
      }
    }
    return true;
  }

  /** About which part of the file's rows it is. */
  double part() {
    double part = 1;
    for (Residue residue : residues) {
      part /= residue.count;
    }
    return part;
  }

  public void encode(ByteWriter out) {
    out.varint(residues.size());
    residues.forEach(residue -> out.varint(residue.count).varint(residue.number));
    out.varint(tables.size());
    for (Table table : tables) {
      out.varint((long) table.id << 1 | (table.layout == TableSpec.Layout.ORDERED ? 1 : 0));
      out.blob(table.floor.bound());
    }
  }

  public static FileShare decode(ByteReader in) {
    List<Residue> residues = new ArrayList<>();
    for (int n = in.count(MOST_RESIDUES); n > 0; n--) {
      int count = in.count(MOST_COUNT);
      int number = in.count(Math.max(0, count - 1));
      if (count < 1) {
        throw in.corrupt("a residue of " + count);
      }
      residues.add(new Residue(count, number));
    }
    List<Table> tables = new ArrayList<>();
    for (int n = in.count(in.remaining()); n > 0; n--) {
      int head = in.count(2 * 0xFFFF + 1);
      byte[] floor = in.blob();
      tables.add(new Table(head >>> 1,
          (head & 1) == 0 ? TableSpec.Layout.HASHED : TableSpec.Layout.ORDERED,
          floor.length == 0 ? Watermark.NONE : new Watermark(floor)));
    }
    if (tables.isEmpty()) {
      throw in.corrupt("a share of a file without tables");
    }
    return new FileShare(residues, tables);
  }
}
