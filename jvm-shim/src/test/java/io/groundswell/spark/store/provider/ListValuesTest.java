package io.groundswell.spark.store.provider;

import static io.groundswell.spark.store.provider.ProviderHarness.DEFAULT;
import static io.groundswell.spark.store.provider.ProviderHarness.KEY;
import static io.groundswell.spark.store.provider.ProviderHarness.key;
import static io.groundswell.spark.store.provider.ProviderHarness.prefix;
import static io.groundswell.spark.store.provider.ProviderHarness.rows;
import static io.groundswell.spark.store.provider.ProviderHarness.value;
import static io.groundswell.spark.store.provider.ProviderHarness.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.testing.Seeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPostfixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** Lists that outgrow one value: they behave as lists, and appends stay cheap. */
class ListValuesTest {
  @TempDir Path folder;

  private StateStoreProvider open() {
    return open(folder);
  }

  private static StateStoreProvider open(Path root) {
    return new ProviderHarness(root)
        .families(true)
        .keys(new TimestampAsPostfixKeyStateEncoderSpec(KEY))
        .open();
  }

  private static List<String> expected(Map<Long, List<Long>> model, long from, long to) {
    List<String> all = new ArrayList<>();
    model.forEach((t, list) -> {
      if (t >= from && t < to) {
        list.forEach(v -> all.add("k/" + t + "=" + v));
      }
    });
    return all;
  }

  @Test
  void randomListsAreWhatAModelSays() {
    Seeds.each(3, this::playRandomLists);
  }

  private void playRandomLists(Random random) {
    TreeMap<Long, List<Long>> model = new TreeMap<>();
    Path own = folder.resolve(Integer.toString(random.nextInt(Integer.MAX_VALUE)));
    StateStoreProvider provider = open(own);
    long next = 0;
    for (int version = 0; version < 8; version++) {
      StateStore store = write(provider, version);
      for (int step = 0; step < 30; step++) {
        long t = random.nextInt(4);
        long[] added = new long[1 + random.nextInt(random.nextInt(5) == 0 ? 400 : 20)];
        for (int i = 0; i < added.length; i++) {
          added[i] = next++;
        }
        UnsafeRow[] values =
            Arrays.stream(added).mapToObj(ProviderHarness::value).toArray(UnsafeRow[] ::new);
        List<Long> list = model.computeIfAbsent(t, key -> new ArrayList<>());
        int choice = random.nextInt(12);
        if (choice == 0) {
          store.remove(key("k", t), DEFAULT);
          model.remove(t);
        } else if (choice == 1) {
          store.put(key("k", t), values[0], DEFAULT);
          model.put(t, new ArrayList<>(List.of(added[0])));
        } else {
          if (choice == 2) {
            list.clear();
            store.putList(key("k", t), values, DEFAULT);
          } else {
            store.mergeList(key("k", t), values, DEFAULT);
          }
          Arrays.stream(added).forEach(list::add);
        }
        List<Long> found = new ArrayList<>();
        store.valuesIterator(key("k", t), DEFAULT).foreach(row -> found.add(row.getLong(0)));
        assertEquals(model.getOrDefault(t, List.of()), found);
      }
      assertEquals(expected(model, 0, 9), rows(store.iteratorWithMultiValues(DEFAULT)));
      assertEquals(
          expected(model, 0, 9), rows(store.prefixScanWithMultiValues(prefix("k"), DEFAULT)));
      assertEquals(expected(model, 1, 3),
          rows(store.rangeScanWithMultiValues(
              Option.apply(key("k", 1)), Option.apply(key("k", 3)), DEFAULT)));
      store.commit();
      assertEquals(model.size(), store.metrics().numKeys());
      if (version == 4) {
        provider.close();
        provider = open(own);
      }
    }
    StateStore last = write(provider, 8);
    last.deleteRange(key("k", 0), key("k", 9), DEFAULT);
    assertEquals(List.of(), rows(last.iteratorWithMultiValues(DEFAULT)));
    assertEquals(java.util.Set.of(DEFAULT),
        scala.jdk.javaapi.CollectionConverters.asJava(last.allColumnFamilyNames()));
  }

  @Test
  void aScanShowsListsAsTheyWereWhenItBegan() {
    StateStore store = write(open(), 0);
    UnsafeRow[] many = new UnsafeRow[300];
    Arrays.setAll(many, ProviderHarness::value);
    store.putList(key("k", 1), many, DEFAULT);
    store.putList(key("k", 2), many, DEFAULT);
    StateStoreIterator<UnsafeRowPair> scan = store.iteratorWithMultiValues(DEFAULT);
    scala.collection.Iterator<UnsafeRow> values = store.valuesIterator(key("k", 2), DEFAULT);
    assertTrue(scan.hasNext());
    store.remove(key("k", 1), DEFAULT);
    store.put(key("k", 2), value(7), DEFAULT);
    assertEquals(600, rows(scan).size());
    assertEquals(300, values.length());
  }

  @Test
  void anAppendToALongListWritesLittle() {
    StateStoreProvider provider = open();
    StateStore first = write(provider, 0);
    UnsafeRow[] many = new UnsafeRow[20_000];
    Arrays.setAll(many, ProviderHarness::value);
    first.putList(key("k", 1), many, DEFAULT);
    first.commit();
    StateStore second = write(provider, 1);
    for (int i = 0; i < 10; i++) {
      second.merge(key("k", 1), value(i), DEFAULT);
    }
    second.commit();
    long[] bytes = new long[1];
    second.metrics().customMetrics().foreach(metric -> {
      if (metric._1().name().equals("groundswellBytesWritten")) {
        bytes[0] = (Long) metric._2();
      }
      return null;
    });
    assertTrue(bytes[0] > 0 && bytes[0] < 16 << 10, bytes[0] + " bytes for ten numbers");
  }
}
