package io.groundswell.spark.store.provider;

import static io.groundswell.spark.store.provider.ProviderHarness.DEFAULT;
import static io.groundswell.spark.store.provider.ProviderHarness.KEY;
import static io.groundswell.spark.store.provider.ProviderHarness.VALUE;
import static io.groundswell.spark.store.provider.ProviderHarness.assertCondition;
import static io.groundswell.spark.store.provider.ProviderHarness.key;
import static io.groundswell.spark.store.provider.ProviderHarness.prefix;
import static io.groundswell.spark.store.provider.ProviderHarness.read;
import static io.groundswell.spark.store.provider.ProviderHarness.rows;
import static io.groundswell.spark.store.provider.ProviderHarness.value;
import static io.groundswell.spark.store.provider.ProviderHarness.values;
import static io.groundswell.spark.store.provider.ProviderHarness.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.NoPrefixKeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.PrefixKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.RangeKeyScanStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.TimestampAsPostfixKeyStateEncoderSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

class FamiliesTest {
  @TempDir Path folder;

  private static KeyStateEncoderSpec byTime() {
    return new RangeKeyScanStateEncoderSpec(
        KEY, CollectionConverters.asScala(List.<Object>of(1)).toSeq());
  }

  private StateStoreProvider open() {
    return new ProviderHarness(folder).families(true).open();
  }

  private static void create(StateStore store, String name, KeyStateEncoderSpec spec) {
    store.createColFamilyIfAbsent(name, KEY, VALUE, spec, false, name.startsWith("$"));
  }

  private static List<Long> valuesOf(ReadStateStore store, UnsafeRow key, String family) {
    List<Long> found = new ArrayList<>();
    store.valuesIterator(key, family).foreach(row -> found.add(row.getLong(0)));
    return found;
  }

  @Test
  void aKeyOfManyValuesKeepsTheirOrderAndCountsOnce() {
    StateStoreProvider provider = open();
    StateStore store = write(provider, 0);
    UnsafeRow key = key("a", 1);
    assertEquals(List.of(), valuesOf(store, key, DEFAULT));
    store.merge(key, value(3), DEFAULT);
    store.mergeList(key, values(1, 2), DEFAULT);
    store.merge(key, value(3), DEFAULT);
    assertEquals(List.of(3L, 1L, 2L, 3L), valuesOf(store, key, DEFAULT));
    assertEquals(3, store.get(key, DEFAULT).getLong(0));
    store.putList(key("b", 1), values(7, 8), DEFAULT);
    store.commit();
    assertEquals(2, store.metrics().numKeys());

    StateStore next = write(provider, 1);
    assertEquals(List.of(3L, 1L, 2L, 3L), valuesOf(next, key, DEFAULT));
    next.merge(key, value(4), DEFAULT);
    next.put(key("b", 1), value(9), DEFAULT);
    next.commit();
    ReadStateStore last = read(open(), 2);
    assertEquals(List.of("a/1=1", "a/1=2", "a/1=3", "a/1=3", "a/1=4", "b/1=9"),
        rows(last.iteratorWithMultiValues(DEFAULT)).stream().sorted().toList());
    assertEquals(2, rows(last.iterator(DEFAULT)).size());
  }

  @Test
  void familiesAreStateAndMakingThemIsRepeatable() {
    StateStoreProvider provider = open();
    for (long version = 0; version < 3; version++) {
      StateStore store = write(provider, version);
      create(store, "one", new NoPrefixKeyStateEncoderSpec(KEY));
      create(store, "$internal", new NoPrefixKeyStateEncoderSpec(KEY));
      store.put(key("a", version), value(1), "one");
      store.put(key("a", 0), value(1), "$internal");
      store.commit();
      assertEquals(version + 1, store.metrics().numKeys(), "internal families are apart");
    }
    ReadStateStore reader = read(open(), 3);
    assertEquals(java.util.Set.of(DEFAULT, "one", "$internal"),
        CollectionConverters.asJava(reader.allColumnFamilyNames()));
    reader.registerColFamily("one", KEY, VALUE, new NoPrefixKeyStateEncoderSpec(KEY), false, false);
    assertEquals(3, rows(reader.iterator("one")).size());
  }

  @Test
  void aRemovedFamilyComesBackEmpty() {
    StateStoreProvider provider = open();
    StateStore store = write(provider, 0);
    create(store, "one", byTime());
    store.put(key("a", 0), value(1), "one");
    store.commit();
    StateStore removing = write(provider, 1);
    create(removing, "one", byTime());
    assertTrue(removing.removeColFamilyIfExists("one"));
    assertFalse(removing.removeColFamilyIfExists("one"));
    assertThrows(Throwable.class, () -> removing.get(key("a", 0), "one"));
    removing.commit();
    assertEquals(0, removing.metrics().numKeys());
    StateStore again = write(provider, 2);
    create(again, "one", new NoPrefixKeyStateEncoderSpec(KEY));
    assertEquals(List.of(), rows(again.iterator("one")));
  }

  @Test
  void namesAreCheckedAsSparkDoes() {
    StateStore store = write(open(), 0);
    NoPrefixKeyStateEncoderSpec spec = new NoPrefixKeyStateEncoderSpec(KEY);
    for (String name : new String[] {"", " ", DEFAULT, " one"}) {
      assertCondition("STATE_STORE_CANNOT_USE_COLUMN_FAMILY_WITH_INVALID_NAME",
          () -> create(store, name, spec));
    }
    assertCondition("STATE_STORE_CANNOT_CREATE_COLUMN_FAMILY_WITH_RESERVED_CHARS",
        () -> store.createColFamilyIfAbsent("$x", KEY, VALUE, spec, false, false));
    assertCondition("STATE_STORE_UNSUPPORTED_OPERATION_ON_MISSING_COLUMN_FAMILY",
        () -> store.get(key("a", 0), "missing"));
  }

  @Test
  void withoutFamiliesThereIsOneOnly() {
    StateStore store = write(new ProviderHarness(folder).open(), 0);
    NoPrefixKeyStateEncoderSpec spec = new NoPrefixKeyStateEncoderSpec(KEY);
    assertCondition("STATE_STORE_UNSUPPORTED_OPERATION", () -> create(store, "one", spec));
    assertCondition("STATE_STORE_UNSUPPORTED_OPERATION", () -> store.get(key("a", 0), "one"));
    assertThrows(IllegalStateException.class, () -> store.merge(key("a", 0), value(1), DEFAULT));
  }

  @Test
  void scansByPrefixFindTheRowsOfThatPrefixAlone() {
    StateStoreProvider provider = open();
    StateStore store = write(provider, 0);
    create(store, "p", new PrefixKeyScanStateEncoderSpec(KEY, 1));
    for (String k : new String[] {"", "a", "ab", "a-longer-name", "b"}) {
      for (long t = 0; t < 3; t++) {
        store.put(key(k, t), value(t), "p");
      }
    }
    assertEquals(3, rows(store.prefixScan(prefix("a"), "p")).size());
    store.commit();
    StateStore next = write(provider, 1);
    create(next, "p", new PrefixKeyScanStateEncoderSpec(KEY, 1));
    next.remove(key("a", 1), "p");
    next.put(key("a", 5), value(5), "p");
    assertEquals(List.of("a/0=0", "a/2=2", "a/5=5"),
        rows(next.prefixScan(prefix("a"), "p")).stream().sorted().toList());
    assertEquals(List.of(), rows(next.prefixScan(prefix("none"), "p")));
    assertThrows(IllegalArgumentException.class, () -> next.prefixScan(prefix("a"), DEFAULT));
    assertThrows(
        IllegalArgumentException.class, () -> next.rangeScan(Option.empty(), Option.empty(), "p"));
  }

  @Test
  void scansByRangeAreSortedAndHalfOpen() {
    StateStoreProvider provider = open();
    StateStore store = write(provider, 0);
    create(store, "t", byTime());
    for (long t : new long[] {5, -3, 12, 0, 7, Long.MIN_VALUE, Long.MAX_VALUE}) {
      store.put(key("k" + t, t), value(1), "t");
    }
    store.commit();
    StateStore next = write(provider, 1);
    create(next, "t", byTime());
    next.put(key("other", 7), value(2), "t");
    assertEquals(List.of(Long.MIN_VALUE, -3L, 0L, 5L, 7L, 7L, 12L, Long.MAX_VALUE),
        times(rows(next.iterator("t"))));
    // Spark fills the columns that do not order with the least bytes: here an empty string.
    assertEquals(List.of(0L, 5L), times(range(next, key("", 0), key("", 7))));
    assertEquals(List.of(7L, 7L, 12L, Long.MAX_VALUE), times(range(next, key("", 7), null)));
    assertEquals(List.of(Long.MIN_VALUE, -3L), times(range(next, null, key("", 0))));
    next.deleteRange(key("", -3), key("", 8), "t");
    assertEquals(List.of(Long.MIN_VALUE, 12L, Long.MAX_VALUE), times(rows(next.iterator("t"))));
    next.commit();
    assertEquals(3, next.metrics().numKeys());
  }

  private static List<String> range(StateStore store, UnsafeRow start, UnsafeRow end) {
    return rows(store.rangeScan(Option.apply(start), Option.apply(end), "t"));
  }

  private static List<Long> times(List<String> rows) {
    return rows.stream()
        .map(row -> Long.parseLong(row.substring(row.indexOf('/') + 1, row.indexOf('='))))
        .toList();
  }

  @Test
  void timesWithinOneKeyAreScannedInOrder() {
    StateStore store = write(open(), 0);
    store.createColFamilyIfAbsent(
        "e", KEY, VALUE, new TimestampAsPostfixKeyStateEncoderSpec(KEY), true, false);
    for (long t : new long[] {3, -1, 9, 4}) {
      store.merge(key("a", t), value(t), "e");
      store.merge(key("b", t), value(t), "e");
    }
    store.merge(key("a", 4), value(40), "e");
    assertEquals(List.of("a/-1=-1", "a/3=3", "a/4=4", "a/4=40", "a/9=9"),
        rows(store.prefixScanWithMultiValues(prefix("a"), "e")));
    assertEquals(List.of("b/3=3", "b/4=4"),
        rows(store.rangeScanWithMultiValues(
            Option.apply(key("b", 0)), Option.apply(key("b", 9)), "e")));
  }
}
