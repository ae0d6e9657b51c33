package io.groundswell.spark.views.operator.spi;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.engine.Transaction;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * One partition of a state that gets another number of them, being written: what it takes is in
 * some of the partitions before. For one thread.
 */
public final class PartitionMove implements AutoCloseable {
  /** Takes a row of a table before. */
  @FunctionalInterface
  public interface Taker {
    /** The cursor stands on the row. */
    void take(int partition, RowCursor row);
  }

  private final String state;
  private final int before;
  private final int number;
  private final int count;
  private final Snapshot[] donors;
  private Transaction to;
  private long bundled;
  private boolean wrote;

  /**
   * @param state its name, for messages
   * @param before how many partitions it had
   * @param number of the partition that is written
   * @param count how many partitions it gets
   * @param open opens a partition as it was; gives null if it was never written
   */
  public PartitionMove(
      String state, int before, int number, int count, IntFunction<Snapshot> open) {
    this.state = state;
    this.before = before;
    this.number = number;
    this.count = count;
    this.donors = new Snapshot[before];
    try {
      for (int i = 0; i < before; i++) {
        donors[i] = open.apply(i);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** From now on it is written into this batch; the caller commits it. */
  public void into(Transaction batch) {
    to = batch;
  }

  /** Names of all tables, in the order in which they were made. */
  public Set<String> tables() {
    Set<String> names = new LinkedHashSet<>();
    for (Snapshot donor : donors) {
      if (donor != null) {
        donor.tables().forEach(table -> names.add(table.name()));
      }
    }
    return names;
  }

  public Transaction to() {
    return to;
  }

  /** How many partitions there were. */
  public int before() {
    return before;
  }

  /** A partition as it was; null if it was never written. */
  public Snapshot donor(int partition) {
    return donors[partition];
  }

  /** Whether a row of this hash belongs into the new partition. */
  public boolean isMine(int hash) {
    return Math.floorMod(hash, count) == number;
  }

  /**
   * Whether the new partition takes what one before has that may stand anywhere, and is not to be
   * torn apart.
   */
  public boolean takesAllOf(int partition) {
    return partition % count == number;
  }

  /**
   * Of things that may stand anywhere, each of them is given to one of the new partitions.
   *
   * @param index counts those of an old partition
   */
  public boolean takes(int partition, long index) {
    return Math.floorMod(partition + index * before, count) == number;
  }

  /** The table in the new partition; null if none had it. */
  public TableSpec create(String table) {
    for (Snapshot donor : donors) {
      TableSpec spec = donor == null ? null : donor.table(table);
      if (spec != null) {
        return to.createTable(table, spec.layout(), spec.counted());
      }
    }
    return null;
  }

  /** Writes a row that the new partition does not have yet. */
  public void write(TableSpec table, int hash, Slice key, Slice value) {
    write(table, hash, key.bytes, key.offset, key.length, value);
  }

  public void write(
      TableSpec table, int hash, byte[] key, int keyOffset, int keyLength, Slice value) {
    to.insert(table, hash, key, keyOffset, keyLength, value.bytes, value.offset, value.length);
    wrote = true;
  }

  /** Notes so many rows of entries that are not one row each. */
  public void bundled(long rows) {
    bundled += rows;
    wrote |= rows > 0;
  }

  public long bundledRows() {
    return bundled;
  }

  /** False if there is nothing to commit. */
  public boolean hasWritten() {
    return wrote;
  }

  /** Goes over all rows of a table in the partitions that pass. */
  public void each(String table, IntPredicate partitions, Taker taker) {
    for (int partition = 0; partition < before; partition++) {
      TableSpec spec = donors[partition] == null || !partitions.test(partition)
          ? null
          : donors[partition].table(table);
      if (spec == null) {
        continue;
      }
      try (RowCursor rows = donors[partition].scan(spec)) {
        while (rows.next()) {
          taker.take(partition, rows);
        }
      }
    }
  }

  /** Rows of the new partition's hashes, from where they have to stand. */
  public void eachByHash(String table, Taker taker) {
    int common = gcd(before, count); // a partition that differs by it has no hash in common
    each(table, partition -> partition % common == number % common, (partition, row) -> {
      if (Math.floorMod(row.hash(), before) != partition) {
        throw new EngineException(ErrorCode.ILLEGAL_STATE,
            "state " + state + " cannot get another number of partitions: partition " + partition
                + " of " + before + " has a row of table \"" + table + "\" whose hash, "
                + row.hash() + ", belongs into partition " + Math.floorMod(row.hash(), before)
                + ". Go on with " + before + " partitions, or drop the views that use the state "
                + "and add them again");
      }
      if (isMine(row.hash())) {
        taker.take(partition, row);
      }
    });
  }

  void byHash(String table) {
    TableSpec spec = create(table);
    eachByHash(table, (partition, row) -> write(spec, row.hash(), row.key(), row.value()));
    keepWatermark(table, spec);
  }

  void copy(String table) {
    TableSpec spec = create(table);
    each(table,
        partition
        -> partition == number,
        (partition, row) -> write(spec, row.hash(), row.key(), row.value()));
    byte[] bound = donors[number] == null || donors[number].table(table) == null
        ? null
        : donors[number].watermarkOf(donors[number].table(table));
    if (bound != null) {
      wrote |= to.watermark(spec, bound);
    }
  }

  void toHash(String table) {
    TableSpec spec = create(table);
    each(table, any -> true, (partition, row) -> {
      if (isMine(row.hash())) {
        write(spec, row.hash(), row.key(), row.value());
      }
    });
  }

  /**
   * The lowest of the watermarks: what was below the others is not copied, and none of it comes
   * again.
   */
  public void keepWatermark(String table, TableSpec spec) {
    List<byte[]> bounds = new ArrayList<>();
    for (Snapshot donor : donors) {
      TableSpec old = donor == null ? null : donor.table(table);
      if (old != null) {
        bounds.add(donor.watermarkOf(old));
      }
    }
    if (bounds.stream().allMatch(Objects::nonNull)) {
      byte[] lowest = bounds.stream().min(java.util.Arrays::compareUnsigned).orElseThrow();
      wrote |= to.watermark(spec, lowest);
    }
  }

  private static int gcd(int a, int b) {
    return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).intValue();
  }

  /** Closes the partitions before; what is written is the caller's. */
  @Override
  public void close() {
    for (Snapshot donor : donors) {
      if (donor != null) {
        donor.close();
      }
    }
  }
}
