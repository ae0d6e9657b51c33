package io.groundswell.spark.store.provider;

import io.groundswell.engine.RowCursor;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Transaction;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.store.encoding.KeyCodec;
import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreIterator;
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair;
import scala.Option;
import scala.collection.immutable.Set;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** The reads of one store. Scans show the store as it was when they were asked for. */
abstract class StateReads implements ReadStateStore {
  final StoreContext context;
  final Transaction transaction;
  final Families families;
  final ListValues lists;
  final Lifecycle lifecycle;

  private final Slice value = new Slice();
  private final OpenScans scans = new OpenScans();
  private boolean validated;

  StateReads(StoreContext context, Transaction transaction) {
    this.context = context;
    this.transaction = transaction;
    this.families = new Families(transaction, context);
    this.lists = new ListValues(transaction);
    this.lifecycle = new Lifecycle(toString());
    this.validated = context.useFamilies();
  }

  @Override
  public StateStoreId id() {
    return context.id();
  }

  @Override
  public long version() {
    return transaction.baseVersion();
  }

  /** The family, once it is sure that the store is open and the key is there. */
  final Family keyed(UnsafeRow key, String family, String operation) {
    lifecycle.requireOpen();
    if (key == null) {
      throw new IllegalStateException("Key cannot be null");
    }
    return families.of(family, operation);
  }

  /** True if the key is there; its value stands in the slice until the next look-up. */
  final boolean find(Family family, UnsafeRow key, Slice out) {
    KeyCodec keys = family.keys;
    keys.encode(key);
    return transaction.get(family.table, keys.hash, keys.bytes, keys.offset, keys.length, out);
  }

  @Override
  public UnsafeRow get(UnsafeRow key, String familyName) {
    Family family = keyed(key, familyName, "get");
    if (!find(family, key, value)) {
      return null;
    }
    UnsafeRow row = family.value(value);
    validate(key, row);
    return row;
  }

  @Override
  public boolean keyExists(UnsafeRow key, String familyName) {
    return find(keyed(key, familyName, "keyExists"), key, value);
  }

  @Override
  public scala.collection.Iterator<UnsafeRow> multiGet(UnsafeRow[] keys, String familyName) {
    Iterator<UnsafeRow> rows =
        java.util.Arrays.stream(keys).map(key -> get(key, familyName)).iterator();
    return CollectionConverters.asScala(rows);
  }

  @Override
  public scala.collection.Iterator<UnsafeRow> valuesIterator(UnsafeRow key, String familyName) {
    Family family = keyed(key, familyName, "valuesIterator");
    family.requireMultiple("valuesIterator");
    family.keys.encode(key);
    Iterator<UnsafeRow> values = lists.values(family);
    return values == null ? scala.collection.Iterator$.MODULE$.empty()
                          : CollectionConverters.asScala(values);
  }

  @Override
  public StateStoreIterator<UnsafeRowPair> prefixScan(UnsafeRow prefix, String familyName) {
    Family family = keyed(prefix, familyName, "prefixScan");
    return scan(new RowPairs(family, prefixCursor(family, prefix)));
  }

  @Override
  public StateStoreIterator<UnsafeRowPair> prefixScanWithMultiValues(
      UnsafeRow prefix, String familyName) {
    Family family = keyed(prefix, familyName, "prefixScanWithMultiValues");
    family.requireMultiple("prefixScanWithMultiValues");
    return scan(new FlattenedPairs(family, prefixCursor(family, prefix),
        segments(family, () -> prefix(family.segments, family))));
  }

  private RowCursor prefixCursor(Family family, UnsafeRow prefix) {
    family.requirePrefix();
    family.keys.encodePrefix(prefix);
    return prefix(family.table, family);
  }

  private RowCursor prefix(TableSpec table, Family family) {
    KeyCodec keys = family.keys;
    return transaction.prefix(table, keys.hash, keys.bytes, keys.offset, keys.length);
  }

  /** A cursor over the segments of the lists that a scan will meet, in the same order. */
  private static RowCursor segments(Family family, Supplier<RowCursor> scan) {
    return family.segments == null ? null : scan.get();
  }

  @Override
  public StateStoreIterator<UnsafeRowPair> rangeScan(
      Option<UnsafeRow> start, Option<UnsafeRow> end, String familyName) {
    lifecycle.requireOpen();
    Family family = families.of(familyName, "rangeScan");
    return scan(new RowPairs(family, rangeCursor(family, start, end)));
  }

  @Override
  public StateStoreIterator<UnsafeRowPair> rangeScanWithMultiValues(
      Option<UnsafeRow> start, Option<UnsafeRow> end, String familyName) {
    lifecycle.requireOpen();
    Family family = families.of(familyName, "rangeScanWithMultiValues");
    family.requireMultiple("rangeScanWithMultiValues");
    return scan(new FlattenedPairs(family, rangeCursor(family, start, end),
        segments(family, () -> range(family.segments, family, start, end))));
  }

  final RowCursor rangeCursor(Family family, Option<UnsafeRow> start, Option<UnsafeRow> end) {
    family.requireRange();
    return range(family.table, family, start, end);
  }

  private RowCursor range(
      TableSpec table, Family family, Option<UnsafeRow> start, Option<UnsafeRow> end) {
    return transaction.range(table, bound(family, start), bound(family, end));
  }

  private static byte[] bound(Family family, Option<UnsafeRow> key) {
    if (key.isEmpty()) {
      return null;
    }
    family.keys.encode(key.get());
    return family.keys.copy();
  }

  @Override
  public StateStoreIterator<UnsafeRowPair> iterator(String familyName) {
    lifecycle.requireOpen();
    Family family = families.of(familyName, "iterator");
    return scan(new RowPairs(family, transaction.scan(family.table)));
  }

  @Override
  public StateStoreIterator<UnsafeRowPair> iteratorWithMultiValues(String familyName) {
    lifecycle.requireOpen();
    Family family = families.of(familyName, "iteratorWithMultiValues");
    family.requireMultiple("iteratorWithMultiValues");
    return scan(new FlattenedPairs(family, transaction.scan(family.table),
        segments(family, () -> transaction.scan(family.segments))));
  }

  private StateStoreIterator<UnsafeRowPair> scan(RowPairs rows) {
    scans.add(rows);
    return new StateStoreIterator<>(rows, () -> {
      rows.close();
      return BoxedUnit.UNIT;
    });
  }

  final void closeScans() {
    scans.close();
  }

  @Override
  public Set<String> allColumnFamilyNames() {
    return CollectionConverters.asScala(families.names()).toSet();
  }

  /** Once a store, as Spark's own providers do: rows that do not fit the schema are refused. */
  final void validate(UnsafeRow key, UnsafeRow row) {
    if (!validated) {
      context.validate(key, row);
      validated = true;
    }
  }

  @Override
  public String toString() {
    StateStoreId id = context.id();
    return "EpochStateStore[id=(op=" + id.operatorId() + ",part=" + id.partitionId()
        + ",name=" + id.storeName() + "),version=" + transaction.baseVersion()
        + ",dir=" + id.storeCheckpointLocation() + "]";
  }
}
