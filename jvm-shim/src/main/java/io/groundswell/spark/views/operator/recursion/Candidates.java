package io.groundswell.spark.views.operator.recursion;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.state.StateTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * All derivations of one key's rows, by level, then by rank: how many there are, and how many rows
 * of them were given. A derivation that is gone stays as long as its row was given.
 */
final class Candidates {
  /** The bytes of a level: it stands before the rank. */
  static final int LEVEL = Integer.BYTES;

  private static final int NUMBERS = 2 * Long.BYTES;

  /** What has one level and rank. */
  static final class Candidate {
    final byte[] place; // level, then rank
    byte[] row; // the value's, as an UnsafeRow
    long count;
    long given;
    private boolean changed;

    Candidate(byte[] place, byte[] row) {
      this.place = place;
      this.row = row;
    }

    int level() {
      return ByteBuffer.wrap(place).getInt();
    }

    /** Whether it ranks before another one, whatever the levels. */
    boolean isBetterThan(Candidate other) {
      return Arrays.compareUnsigned(
                 place, LEVEL, place.length, other.place, LEVEL, other.place.length)
          < 0;
    }

    void count(long weight) {
      count += weight;
      changed = true;
    }

    void give(long rows) {
      given = rows;
      changed = true;
    }
  }

  private final TreeMap<byte[], Candidate> byPlace = new TreeMap<>(Arrays::compareUnsigned);

  /** Those of a key. */
  static Candidates read(StateTable table, int hash, UnsafeRow key) {
    Candidates found = new Candidates();
    int width = key.getSizeInBytes();
    byte[] prefix = key.getBytes();
    try (RowCursor cursor = table.prefix(hash, prefix, width)) {
      while (table.read(cursor)) {
        Slice at = cursor.key();
        byte[] place = Arrays.copyOfRange(at.bytes, at.offset + width, at.offset + at.length);
        Slice value = cursor.value();
        ByteBuffer numbers = ByteBuffer.wrap(value.bytes, value.offset, NUMBERS);
        Candidate candidate = new Candidate(place,
            Arrays.copyOfRange(value.bytes, value.offset + NUMBERS, value.offset + value.length));
        candidate.count = numbers.getLong();
        candidate.given = numbers.getLong();
        found.byPlace.put(place, candidate);
      }
    }
    return found;
  }

  /** The one of a place; it is made if there is none. */
  Candidate at(byte[] place, byte[] row) {
    return byPlace.computeIfAbsent(place, made -> new Candidate(made, row));
  }

  /** By level, then by rank. */
  Collection<Candidate> all() {
    return byPlace.values();
  }

  /** The last one of which rows were given; null: none. */
  Candidate lastGiven() {
    for (Candidate candidate : byPlace.descendingMap().values()) {
      if (candidate.given > 0) {
        return candidate;
      }
    }
    return null;
  }

  /** One list a level, ascending. */
  List<List<Candidate>> levels() {
    List<List<Candidate>> levels = new ArrayList<>();
    Candidate last = null;
    for (Candidate candidate : byPlace.values()) {
      if (last == null || last.level() != candidate.level()) {
        levels.add(new ArrayList<>());
      }
      levels.get(levels.size() - 1).add(candidate);
      last = candidate;
    }
    return levels;
  }

  /** Writes what is not as it was read. */
  void write(StateTable table, int hash, UnsafeRow key, ByteWriter scratch) {
    byte[] prefix = key.getBytes();
    for (Candidate candidate : byPlace.values()) {
      if (!candidate.changed) {
        continue;
      }
      scratch.clear();
      scratch.putBytes(prefix, 0, prefix.length);
      scratch.putBytes(candidate.place, 0, candidate.place.length);
      byte[] at = scratch.copy(0);
      if (candidate.count == 0 && candidate.given == 0) {
        table.delete(hash, at, at.length);
        continue;
      }
      scratch.clear();
      scratch.putLong(candidate.count);
      scratch.putLong(candidate.given);
      scratch.putBytes(candidate.row, 0, candidate.row.length);
      table.put(hash, at, at.length, scratch.bytes, scratch.length);
    }
  }
}
