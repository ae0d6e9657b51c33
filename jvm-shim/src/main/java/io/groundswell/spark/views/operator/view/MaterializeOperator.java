package io.groundswell.spark.views.operator.view;

import io.groundswell.engine.Transaction;
import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.contract.dataflow.KeepSpec;
import io.groundswell.spark.views.contract.dataflow.MaterializeSpec;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.TableMove;
import io.groundswell.spark.views.operator.state.BundleCount;
import io.groundswell.spark.views.operator.state.BundleMove;
import io.groundswell.spark.views.operator.state.ChangeBuffer;
import io.groundswell.spark.views.operator.state.KeyedChanges;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.spark.views.operator.state.StateTable;
import io.groundswell.storage.FastPath;
import io.groundswell.storage.Mark;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * Keeps a view's rows: {@code view' = view + Δ}, and, for a sink, what this epoch changed in them.
 *
 * <p>State: {@code rows}, by the hash of the stream key: stream key → the user's columns; {@code
 * changelog} (see {@link ViewTables}): number → the user's columns, epoch and change type, of the
 * last epoch that changed anything.
 *
 * <p>Takes inserts, deletes and updates; gives nothing. Changes that the user's columns do not show
 * are none. A key inserted while present, or deleted while absent, is an error: the operators below
 * have lost track. Nobody looks for that in an append-only view, whose rows are told apart by
 * hidden row ids, nor where the changes come {@code tracked}: straight from an operator that keeps
 * what it gave in its own state, so netted, pairs adjacent. Such a view is not read to be written.
 * Where nobody can ask for a row by its key, rows stand in bundles: {@link BundledView}, {@link
 * GroupedView}.
 */
public final class MaterializeOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  private final String view;
  private final List<Column> input;
  private final int[] key;
  private final int[] fields;
  private final boolean changelog;
  private final boolean appendOnly;
  private final boolean anywhere;
  private final boolean tracked;

  /** Whether its input is all rows of the view, not what changed in them. */
  private final boolean replace;

  /** What changes come grouped by; none: they do not, or their rows are asked for by key. */
  private final int[] group;

  public MaterializeOperator(MaterializeSpec spec, List<Column> input) {
    this(spec, input, null);
  }

  /**
   * @param tracked how its changes come; null: they may be any
   */
  public MaterializeOperator(MaterializeSpec spec, List<Column> input, Tracked tracked) {
    Refs refs = new Refs(spec);
    this.view = spec.view();
    this.input = List.copyOf(input);
    this.key = refs.positions(spec.key(), input);
    this.fields = refs.positions(spec.fields(), input);
    this.changelog = spec.changelog();
    this.appendOnly = spec.appendOnly();
    this.anywhere = spec.anywhere();
    this.replace = spec.replace();
    this.tracked = tracked != null;
    this.group = tracked == null ? new int[0] : refs.positions(tracked.group(), input);
    RowKeys.check(refs, input, key);
  }

  /** Keeps the rows of a table that nobody but new views reads. */
  public MaterializeOperator(KeepSpec spec, List<Column> input) {
    Refs refs = new Refs(spec);
    this.view = spec.table();
    this.input = List.copyOf(input);
    this.key = refs.positions(spec.key(), input);
    this.fields = refs.positions(spec.fields(), input);
    this.changelog = false;
    this.appendOnly = true;
    this.anywhere = true;
    this.replace = false;
    this.tracked = false;
    this.group = new int[0];
    RowKeys.check(refs, input, key);
  }

  @Override
  public TableMove move(String table) {
    if (BundleCount.isTable(table)) {
      return TableMove.NONE;
    }
    return switch (table) {
      case ViewTables.CHANGELOG -> ViewTables::moveChangelog;
      case BundledView.BUNDLES -> appendOnly ? BundledView::move : new BundleMove(2);
      case ViewTables.ROWS -> anywhere ? rowsAnywhere() : TableMove.BY_HASH;
      default -> TableMove.BY_HASH;
    };
  }

  private TableMove rowsAnywhere() {
    if (group.length == 0) {
      return TableMove.TO_HASH;
    }
    return (move, table) -> {
      throw new EngineException(ErrorCode.ILLEGAL_STATE,
          "view \"" + view + "\" was begun by an older release, row by row in the partitions of "
              + ("its groups, and cannot get another number of partitions: drop it and add it "
                  + "again"));
    };
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys keys = new RowKeys(code, input, key);
    UnsafeProjection user = code.select(input, fields);
    ViewTables.ChangelogWriter log =
        changelog ? new ViewTables.ChangelogWriter(tx, epoch, counters) : null;
    boolean keyed = tx.table(ViewTables.ROWS) != null; // what was begun row by row goes on so
    if (replace) {
      new ReplacedView(StateTable.hashed(tx, ViewTables.ROWS, counters), input, key, fields, log,
          counters, (what, keyRow) -> lostTrack(what, keyRow, keys))
          .replace(inputs.get(0));
    } else if (appendOnly && anywhere && !keyed) {
      append(inputs.get(0), keys, user, new BundledView(tx, counters), log, counters);
    } else if (appendOnly) {
      Mark.VIEW_BEGUN_ROW_BY_ROW.hitIf(anywhere);
      append(inputs.get(0), keys, user, keyed(tx, keys, counters), log, counters);
    } else if (tracked && (group.length > 0 || FastPath.TRACKED_VIEW.isOpen())) {
      ViewStore rows = group.length > 0 && !keyed
          ? new GroupedView(
                tx, new RowKeys(code, input, group), key.length, fields.length, counters)
          : keyed(tx, keys, counters);
      new TrackedChanges(rows, keys, user, fields.length, log, counters,
          (what, keyRow) -> lostTrack(what, keyRow, keys))
          .apply(inputs.get(0), input.size());
    } else {
      StateTable rows = StateTable.hashed(tx, ViewTables.ROWS, counters);
      KeyedChanges.each(inputs.get(0), input, key, fields, counters,
          pass -> apply(pass.changes(), pass.keys(), rows, log, counters));
    }
    if (log != null) {
      log.finish();
    }
    code.release();
    return Collections.emptyIterator();
  }

  /** Where no row comes, those that are there go. */
  @Override
  public boolean alwaysRuns() {
    return replace;
  }

  private static ViewStore keyed(Transaction tx, RowKeys keys, OperatorCounters counters) {
    return new KeyedView(StateTable.hashed(tx, ViewTables.ROWS, counters), keys);
  }

  /** Rows of an append-only view are new, each: nothing is netted, nothing read. */
  private void append(Iterator<InternalRow> added, RowKeys keys, UnsafeProjection user,
      ViewStore rows, ViewTables.ChangelogWriter log, OperatorCounters counters) {
    int weight = input.size();
    while (added.hasNext()) {
      InternalRow row = added.next();
      UnsafeRow keyRow = keys.of(row);
      if (row.getInt(weight) != 1) {
        throw lostTrack("delete from an append-only view", keyRow, keys);
      }
      UnsafeRow after = user.apply(row);
      rows.insert(keyRow, after);
      counters.rowsIn++;
      counters.rowsOut++;
      if (log != null) {
        log.add(null, after);
      }
    }
    rows.finish();
  }

  private void apply(ChangeBuffer changes, RowKeys keys, StateTable rows,
      ViewTables.ChangelogWriter log, OperatorCounters counters) {
    UnsafeRow old = new UnsafeRow(fields.length);
    for (ChangeBuffer.Change change : changes.changes()) {
      UnsafeRow keyRow = change.key();
      if (change.isNone()) {
        continue;
      }
      int hash = keys.hash(keyRow);
      boolean present = rows.get(hash, keyRow, old);
      check(change, present, keyRow, keys);
      UnsafeRow before = present ? old : null;
      UnsafeRow after = change.after();
      if (after == null) {
        rows.delete(hash, keyRow);
      } else if (after.equals(before)) {
        continue;
      } else {
        rows.put(hash, keyRow, after);
      }
      counters.rowsOut += (before == null ? 0 : 1) + (after == null ? 0 : 1);
      if (log != null) {
        log.add(before, after);
      }
    }
  }

  private void check(ChangeBuffer.Change change, boolean present, UnsafeRow keyRow, RowKeys keys) {
    if (change.before() != null && (!present || change.deletesMore())) {
      throw lostTrack("delete of a key that is not there", keyRow, keys);
    }
    boolean occupied = present && change.before() == null;
    if (change.after() != null && (occupied || change.insertsMore())) {
      throw lostTrack("insert of a key that is there", keyRow, keys);
    }
  }

  private EngineException lostTrack(String what, UnsafeRow keyRow, RowKeys keys) {
    return RowKeys.inconsistent("view \"" + view + "\": " + what + ", " + keys.text(keyRow)
        + "; an expression of the view may not be deterministic, or the stream key not unique");
  }
}
