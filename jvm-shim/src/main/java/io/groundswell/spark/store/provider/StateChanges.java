package io.groundswell.spark.store.provider;

import io.groundswell.engine.ChangeRows;
import io.groundswell.engine.EpochStore;
import io.groundswell.engine.Slice;
import io.groundswell.engine.Snapshot;
import io.groundswell.key.TableSpec;
import io.groundswell.spark.store.encoding.KeyCodec;
import io.groundswell.spark.store.encoding.KeyCodecs;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.RecordType$;
import org.apache.spark.sql.execution.streaming.state.StateStoreChangeDataReader;
import scala.Enumeration;
import scala.Option;
import scala.Tuple4;

/**
 * What each of some versions changed in one family, for the state data source's change feed. A key
 * comes once a version: as it was put last, or as deleted. A list that changed comes whole, its
 * first value as a put, the others as merges.
 */
final class StateChanges extends StateStoreChangeDataReader {
  private record Ref(long version, String id) {}

  private final EpochStore store;
  private final StoreContext context;
  private final FamilySpec spec;
  private final KeyCodec keys;
  private final Deque<Ref> versions = new ArrayDeque<>();

  private Snapshot snapshot;
  private Family family;
  private ListReads lists;
  private Iterator<ChangedKey> changed = Collections.emptyIterator();
  private UnsafeRow key;
  private Iterator<UnsafeRow> more = Collections.emptyIterator();

  /** Versions from {@code start} to {@code end}, both included; an {@code id} may name the last. */
  StateChanges(
      EpochStore store, StoreContext context, FamilySpec spec, long start, long end, String id) {
    super(context.id(), null, context.id().storeCheckpointLocation(), start, end, null,
        context.conf(), Option.apply(spec.name()));
    this.store = store;
    this.context = context;
    this.spec = spec;
    this.keys = KeyCodecs.create(spec.key(), context.id().storeName(), spec.name());
    String wanted = id;
    for (long version = end; version >= start; version--) {
      try (Snapshot found = store.snapshot(version, wanted)) {
        versions.addFirst(new Ref(version, found.id()));
        wanted = found.baseId();
      }
    }
  }

  @Override
  public String changelogSuffix() {
    throw new UnsupportedOperationException("changes are read from commits, not from changelogs");
  }

  @Override
  public Tuple4<Enumeration.Value, UnsafeRow, UnsafeRow, Object> getNext() {
    if (more.hasNext()) {
      return record(RecordType$.MODULE$.MERGE_RECORD(), more.next());
    }
    while (!changed.hasNext()) {
      if (!nextVersion()) {
        finished_$eq(true);
        return null;
      }
    }
    ChangedKey next = changed.next();
    key = keys.decode(next.key(), 0, next.key().length);
    Slice value = new Slice();
    if (!snapshot.get(family.table, next.hash(), next.key(), 0, next.key().length, value)) {
      return record(RecordType$.MODULE$.DELETE_RECORD(), null);
    } else if (!spec.multiple()) {
      return record(RecordType$.MODULE$.PUT_RECORD(), family.value(value));
    }
    more = lists.values(family, next.hash(), next.key(), 0, next.key().length);
    return record(RecordType$.MODULE$.PUT_RECORD(), more.hasNext() ? more.next() : null);
  }

  private Tuple4<Enumeration.Value, UnsafeRow, UnsafeRow, Object> record(
      Enumeration.Value type, UnsafeRow value) {
    // Spark counts batches here: batch N commits version N + 1.
    return new Tuple4<>(type, key, value, snapshot.version() - 1);
  }

  private boolean nextVersion() {
    close();
    Ref next = versions.pollFirst();
    if (next == null) {
      return false;
    }
    snapshot = store.snapshot(next.version(), next.id());
    family = Family.of(spec, context, keys, snapshot::table);
    lists = new ListReads(snapshot);
    changed = ChangedKey.of(changes(family.table), changes(family.segments));
    return true;
  }

  private ChangeRows changes(TableSpec table) {
    return table == null ? null : snapshot.changes(table);
  }

  @Override
  public void close() {
    if (snapshot != null) {
      snapshot.close();
      snapshot = null;
    }
  }
}
