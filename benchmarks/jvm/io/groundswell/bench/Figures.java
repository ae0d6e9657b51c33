package io.groundswell.bench;

import com.google.common.util.concurrent.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreCustomMetric;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** What is timed. Each figure checks its own answers: a fast wrong store is no result. */
final class Figures {
  /** What one round did: how many operations in how many nanoseconds, and of those for commits. */
  record Round(long operations, long nanos, List<Long> commitNanos, Map<String, Long> metrics) {
    Round(long operations, long nanos) {
      this(operations, nanos, List.of(), Map.of());
    }
  }

  /** One figure; rounds are independent of each other, but for warmth. */
  interface Figure {
    Round round();
  }

  static final String FAMILY = "default";
  static final int BATCH = 20_000;

  private Figures() {}

  /** Puts all rows in scattered order, 20,000 a commit, with maintenance every ten versions. */
  static Figure load(Stores stores, StateStoreProvider provider, long rows) {
    return () -> {
      Rows data = new Rows(rows);
      List<Long> commits = new ArrayList<>();
      Map<String, Long> metrics = Map.of();
      long nanos = 0;
      long version = 0;
      for (long from = 0; from < rows; from += BATCH) {
        int size = (int) Math.min(BATCH, rows - from);
        UnsafeRow[] keys = new UnsafeRow[size];
        UnsafeRow[] values = new UnsafeRow[size];
        for (int i = 0; i < size; i++) {
          long number = data.scattered(from + i);
          keys[i] = data.presentKey(number).copy();
          values[i] = data.value(number).copy();
        }
        long start = System.nanoTime();
        StateStore store = provider.getStore(version, Option.empty(), false, false);
        for (int i = 0; i < size; i++) {
          store.put(keys[i], values[i], FAMILY);
        }
        long committing = System.nanoTime();
        version = store.commit();
        long end = System.nanoTime();
        nanos += end - start;
        commits.add(end - committing);
        metrics = metricsOf(store);
        if (version % 10 == 0) {
          Stores.maintain(provider);
        }
      }
      Stores.maintain(provider);
      if (Stores.isOurs(provider)) {
        metrics.putAll(stores.shape(provider, version));
      }
      return new Round(rows, nanos, commits, metrics);
    };
  }

  /** Random point reads of present or absent keys, on a store opened for this round alone. */
  static Figure get(StateStoreProvider provider, long rows, long version, boolean present) {
    Random random = new Random(7);
    Rows data = new Rows(rows);
    return () -> {
      int reads = (int) Math.min(rows, 100_000);
      UnsafeRow[] keys = new UnsafeRow[reads];
      long expected = 0;
      for (int i = 0; i < reads; i++) {
        long number = random.nextLong(rows);
        keys[i] = (present ? data.presentKey(number) : data.absentKey(number)).copy();
        expected += present ? number : 0;
      }
      ReadStateStore store = provider.getReadStore(version, Option.empty());
      long sum = 0;
      int found = 0;
      long start = System.nanoTime();
      for (UnsafeRow key : keys) {
        UnsafeRow value = store.get(key, FAMILY);
        if (value != null) {
          found++;
          sum += value.getLong(0);
        }
      }
      long nanos = System.nanoTime() - start;
      store.release();
      check("rows found", found, present ? reads : 0);
      check("sum of values", sum, expected);
      return new Round(reads, nanos);
    };
  }

  /** One batch: read, change and write back 20,000 random rows, then commit. */
  static Figure update(StateStoreProvider provider, long rows, long firstVersion) {
    Random random = new Random(7);
    Rows data = new Rows(rows);
    long[] version = {firstVersion};
    return () -> {
      UnsafeRow[] keys = new UnsafeRow[BATCH];
      for (int i = 0; i < BATCH; i++) {
        keys[i] = data.presentKey(random.nextLong(rows)).copy();
      }
      UnsafeRow changed = UnsafeRow.createFromByteArray(0, Rows.VALUE.length());
      long start = System.nanoTime();
      StateStore store = provider.getStore(version[0], Option.empty(), false, false);
      for (UnsafeRow key : keys) {
        UnsafeRow value = store.get(key, FAMILY);
        changed.copyFrom(value);
        changed.setDouble(1, value.getDouble(1) + 1);
        store.put(key, changed, FAMILY);
      }
      long committing = System.nanoTime();
      version[0] = store.commit();
      long end = System.nanoTime();
      return new Round(BATCH, end - start, List.of(end - committing), metricsOf(store));
    };
  }

  /** The same, and beside the batches what Spark's maintenance thread does, every 20 of them. */
  static Figure maintainedUpdate(StateStoreProvider provider, long rows, long firstVersion) {
    Figure update = update(provider, rows, firstVersion);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    List<Future<?>> maintenance = new ArrayList<>();
    int[] batches = {0};
    return () -> {
      if (++batches[0] % 20 == 0 && maintenance.stream().allMatch(Future::isDone)) {
        for (Future<?> done : maintenance) {
          Futures.getUnchecked(done);
        }
        maintenance.clear();
        maintenance.add(thread.submit(() -> Stores.maintain(provider)));
      }
      return update.round();
    };
  }

  /**
   * A store without anything that newer versions hide: ours by merging all levels, another by one
   * batch with confs that make it do so.
   */
  static Figure compact(Stores stores, StateStoreProvider provider, long rows, long version) {
    return () -> {
      if (!Stores.isOurs(provider)) {
        return update(provider, rows, version).round();
      }
      long start = System.nanoTime();
      long compacted = stores.compact(provider, version);
      long nanos = System.nanoTime() - start;
      return new Round(rows, nanos, List.of(), stores.shape(provider, compacted));
    };
  }

  /** Every row once. */
  static Figure scan(StateStoreProvider provider, long rows, long version) {
    return () -> {
      ReadStateStore store = provider.getReadStore(version, Option.empty());
      long count = 0;
      long sum = 0;
      long start = System.nanoTime();
      StateStoreIterator<UnsafeRowPair> all = store.iterator(FAMILY);
      while (all.hasNext()) {
        UnsafeRowPair row = all.next();
        count++;
        sum += row.key().getSizeInBytes() + row.value().getLong(0);
      }
      all.close();
      long nanos = System.nanoTime() - start;
      store.release();
      check("rows scanned", count, rows);
      check("sum of values", sum, rows * 40 + rows * (rows - 1) / 2);
      return new Round(rows, nanos);
    };
  }

  /** Random prefixes, each of ten rows. */
  static Figure prefixScan(StateStoreProvider provider, long rows, long version) {
    Random random = new Random(7);
    Rows data = new Rows(rows);
    return () -> {
      long groups = rows / Rows.ROWS_PER_PREFIX;
      UnsafeRow[] prefixes = new UnsafeRow[(int) Math.min(groups, 20_000)];
      for (int i = 0; i < prefixes.length; i++) {
        prefixes[i] = data.prefix(random.nextLong(groups)).copy();
      }
      ReadStateStore store = provider.getReadStore(version, Option.empty());
      long count = 0;
      long start = System.nanoTime();
      for (UnsafeRow prefix : prefixes) {
        StateStoreIterator<UnsafeRowPair> some = store.prefixScan(prefix, FAMILY);
        while (some.hasNext()) {
          UnsafeRowPair row = some.next();
          count += row.value().getLong(0) >= 0 ? 1 : 0;
        }
        some.close();
      }
      long nanos = System.nanoTime() - start;
      store.release();
      check("rows scanned", count, (long) prefixes.length * Rows.ROWS_PER_PREFIX);
      return new Round(prefixes.length, nanos);
    };
  }

  /** From a provider that knows nothing to the first row read. */
  static Figure reopen(StateStoreProvider provider, long rows, long version) {
    return () -> {
      UnsafeRow key = new Rows(rows).presentKey(rows / 2).copy();
      long start = System.nanoTime();
      ReadStateStore store = provider.getReadStore(version, Option.empty());
      UnsafeRow value = store.get(key, FAMILY);
      long nanos = System.nanoTime() - start;
      check("value read", value.getLong(0), rows / 2);
      store.release();
      return new Round(1, nanos);
    };
  }

  private static Map<String, Long> metricsOf(StateStore store) {
    Map<String, Long> named = new TreeMap<>();
    CollectionConverters.asJava(store.metrics().customMetrics())
        .forEach((StateStoreCustomMetric metric,
                     Object value) -> named.put(metric.name(), (Long) value));
    return named;
  }

  private static void check(String what, long got, long expected) {
    if (got != expected) {
      throw new IllegalStateException(what + ": " + got + ", expected " + expected);
    }
  }
}
