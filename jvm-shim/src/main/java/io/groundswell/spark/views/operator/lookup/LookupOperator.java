package io.groundswell.spark.views.operator.lookup;

import io.groundswell.engine.EngineServices;
import io.groundswell.engine.Transaction;
import io.groundswell.spark.views.contract.dataflow.LookupSpec;
import io.groundswell.spark.views.contract.dataflow.part.IndexColumn;
import io.groundswell.spark.views.operator.join.JoinType;
import io.groundswell.spark.views.operator.join.MatchRows;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import io.groundswell.spark.views.operator.spi.Refs;
import io.groundswell.spark.views.operator.spi.RowOperator;
import io.groundswell.spark.views.operator.spi.StatePartitions;
import io.groundswell.spark.views.operator.state.GroupedChanges;
import io.groundswell.spark.views.operator.state.Passes;
import io.groundswell.spark.views.operator.state.RowKeys;
import io.groundswell.storage.Mark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;

/**
 * One step of a delta join: {@code ΔX ⋈ I} with the index I as the barrier before left it, or, with
 * a second input, {@code ΔX ⋈ (I + ΔI)}; outer, semi, anti and existence joins likewise.
 *
 * <p>With {@code flip} the stream X stays as it is and the index changes: {@code X ⋈ (I + ΔI) − X ⋈
 * I}, which is what the changed rows of the index are beside X, and what a row of X stands for by
 * itself, where its first match came or its last one went.
 *
 * <p>It has no state. It reads that of an {@link ArrangeOperator}, at the base, and writes nothing
 * into the transaction it is given. Every index key that the stream names is read once.
 *
 * <p>Takes any changes of the stream; gives each beside every row of its index key, with its
 * weight. Terms of a delta join may cancel each other out: see {@link ConsolidateOperator}.
 */
public final class LookupOperator implements RowOperator {
  private static final long serialVersionUID = 1L;

  /** Bytes of an index key and of a row of the stream beside their own: objects and maps. */
  private static final int KEY_OVERHEAD = 150;

  private static final int ROW_OVERHEAD = 80;

  private final List<Column> stream;
  private final List<Column> delta;
  private final List<Column> row;
  private final int[] keys;
  private final int[] deltaKeys;
  private final IndexLayout layout;
  private final int[] given;
  private final int[] equalStream;
  private final int[] equalRow;
  private final JoinType type;
  private final boolean flip;

  /** Hashes of the keys of which every task takes a slice. */
  private final Set<Integer> hot;

  /** The index row as it stands beside a row of the stream. */
  private final List<Column> found;

  /** What must hold of a pair besides; null: nothing. */
  private final Expression residual;

  public LookupOperator(
      LookupSpec spec, List<List<Column>> inputs, List<Column> output, CallResolver expressions) {
    Refs refs = new Refs(spec);
    this.stream = List.copyOf(inputs.get(0));
    this.delta = inputs.size() > 1 ? List.copyOf(inputs.get(1)) : null;
    List<Column> rowColumns = new ArrayList<>();
    for (DataType type : spec.rowTypes()) {
      rowColumns.add(new Column("r" + rowColumns.size(), "r" + rowColumns.size(), type, true));
    }
    this.row = List.copyOf(rowColumns);
    this.keys = refs.positions(spec.keys(), stream);
    this.deltaKeys = delta == null ? null : refs.positions(spec.deltaKeys(), delta);
    this.layout = new IndexLayout(row, ints(spec.index()), ints(spec.key()));
    this.given = positionsOf(spec.row());
    this.equalStream = refs.positions(spec.equal().stream().map(IndexColumn::ref).toList(), stream);
    this.equalRow = positionsOf(spec.equal());
    this.type = JoinType.of(spec.joinType(), refs);
    this.flip = spec.flip();
    this.hot = Set.copyOf(spec.hot());
    this.found = spec.row().stream().map(this::found).toList();
    this.residual = residual(spec, expressions);
    check(refs, output);
  }

  private static int[] ints(List<Integer> positions) {
    return positions.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int[] positionsOf(List<IndexColumn> columns) {
    return columns.stream().mapToInt(IndexColumn::at).toArray();
  }

  private Column found(IndexColumn each) {
    return new Column(each.ref(), each.ref(), row.get(each.at()).type(), true);
  }

  private Expression residual(LookupSpec spec, CallResolver expressions) {
    List<Column> both = new ArrayList<>(stream);
    both.addAll(found);
    return spec.where()
        .stream()
        .map(id -> expressions.condition(id, both))
        .reduce((a, b) -> new And(a, b))
        .orElse(null);
  }

  private void check(Refs refs, List<Column> output) {
    RowKeys.check(refs, stream, keys);
    if (delta != null && !Arrays.equals(Projections.types(delta), Projections.types(row))) {
      throw refs.invalid("reads an index of other columns than its changes have");
    }
    for (int i = 0; i < keys.length; i++) {
      DataType wanted = row.get(layout.index()[i]).type();
      if (!DataType.equalsStructurally(stream.get(keys[i]).type(), wanted, true)) {
        throw refs.invalid("looks up a key of type " + stream.get(keys[i]).type().sql()
            + " in an index by " + wanted.sql());
      }
    }
    if (flip && (delta == null || type == JoinType.INNER)) {
      throw refs.invalid("flips rows by the changes of the index, and has none of them");
    }
    if (residual != null && type == JoinType.INNER) {
      throw refs.invalid("is an inner join: its condition is a filter on the result");
    }
    if (!hot.isEmpty() && type != JoinType.INNER) {
      throw refs.invalid("must see all rows of a key to tell whether there is a match");
    }
    if (type == JoinType.FULL_OUTER) {
      throw refs.invalid("cannot see index rows that no row of the stream matches");
    }
    int width = stream.size();
    int more = type.givesPairs() ? given.length : type == JoinType.EXISTENCE ? 1 : 0;
    if (output.size() != width + more
        || !Arrays.equals(
            refs.positionsOf(output.subList(0, width), stream), Projections.all(width))) {
      throw refs.invalid("must give the columns of the stream, then those of the index row");
    }
  }

  /** Changes of the index alone are nothing to look up. */
  @Override
  public boolean hasWork(List<Iterator<InternalRow>> inputs) {
    return inputs.get(0).hasNext();
  }

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    return run(inputs, new LookupSlices(tx, null, Set.of(), layout, counters), counters);
  }

  @Override
  public Iterator<InternalRow> run(StatePartitions states, long epoch,
      List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Set<Integer> shared = states.count() < 2 ? Set.of() : hot;
    Mark.HOT_KEYS_SLICED.hitIf(!shared.isEmpty());
    return run(inputs, new LookupSlices(states.own(), states, shared, layout, counters), counters);
  }

  private Iterator<InternalRow> run(
      List<Iterator<InternalRow>> inputs, LookupSlices rows, OperatorCounters counters) {
    int[] columns =
        delta == null ? new int[] {stream.size()} : new int[] {stream.size(), delta.size()};
    return Passes.over(inputs.subList(0, columns.length),
        () -> new Probes(rows, counters), columns, EngineServices.shared().collected(), counters);
  }

  /** Rows of the stream, and changes of the index for them, by index key: all, or a part. */
  private final class Probes implements Passes.Collector {
    private final Projections code = new Projections();
    private final RowKeys lookupKeys = RowKeys.ofIndex(code, stream, keys);
    private final UnsafeProjection values = code.select(stream, Projections.all(stream.size()));
    private final UnsafeProjection equal =
        equalStream.length == 0 ? null : code.key(stream, equalStream);
    private final boolean keepsUnmatched = !flip && type.keepsUnmatched(true);
    private final Map<UnsafeRow, List<LookupRows.Probe>> probes = new LinkedHashMap<>();
    private final GroupedChanges changes = delta == null
        ? null
        : new GroupedChanges(
              code, delta, RowKeys.ofIndex(code, delta, deltaKeys), layout.streamKey());
    private final LookupSlices rows;
    private final OperatorCounters counters;

    Probes(LookupSlices rows, OperatorCounters counters) {
      this.rows = rows;
      this.counters = counters;
    }

    @Override
    public long add(int input, InternalRow row) {
      if (input > 0) {
        UnsafeRow key = changes.groups().of(row);
        return !key.anyNull() && probes.containsKey(key) ? changes.add(key, row) : 0;
      }
      UnsafeRow key = lookupKeys.of(row);
      UnsafeRow rest = equal == null ? null : equal.apply(row);
      boolean matchless = lookupKeys.hasNull(key) || (rest != null && rest.anyNull());
      if (matchless && !keepsUnmatched) {
        return 0;
      }
      List<LookupRows.Probe> same = probes.get(key);
      long held = ROW_OVERHEAD + (rest == null ? 0 : rest.getSizeInBytes());
      if (same == null) {
        same = new ArrayList<>(1);
        probes.put(key.copy(), same);
        held += KEY_OVERHEAD + key.getSizeInBytes();
      }
      UnsafeRow value = values.apply(row);
      same.add(new LookupRows.Probe(
          value.copy(), row.getInt(stream.size()), rest == null ? null : rest.copy(), matchless));
      return held + value.getSizeInBytes();
    }

    @Override
    public void moveAll(Passes.Target parts) {
      probes.forEach((key, same) -> {
        int hash = lookupKeys.hash(key);
        same.forEach(probe -> parts.add(0, hash, probe.weight(), probe.row()));
      });
      probes.clear();
      if (changes != null) {
        changes.moveAll(1, parts);
      }
    }

    @Override
    public void move(int input, InternalRow row, Passes.Target parts) {
      if (input > 0) {
        changes.move(1, row, parts);
      } else {
        parts.add(
            0, lookupKeys.hash(lookupKeys.of(row)), row.getInt(stream.size()), values.apply(row));
      }
    }

    @Override
    public Iterator<InternalRow> changes() {
      if (probes.isEmpty()) {
        code.release();
        return Collections.emptyIterator();
      }
      LookupRows looked =
          new LookupRows(lookupKeys, probes, changes == null ? Map.of() : changes.byGroup(), rows);
      if (type == JoinType.INNER) {
        return new LookupPairs(code, Projections.types(stream), Projections.types(found), looked,
            stored(code), changed(code), counters);
      }
      MatchRows matches = new MatchRows(type, stream, found, residual, code, counters.atHand);
      return new LookupMatches(code, matches, flip, looked,
          new LookupMatches.Side(stored(code), changed(code), matches.before),
          new LookupMatches.Side(stored(code), changed(code), matches.after), counters);
    }
  }

  private LookupRows.Wanted stored(Projections code) {
    return new LookupRows.Wanted(
        layout.select(code, given), equalRow.length == 0 ? null : layout.key(code, equalRow));
  }

  private LookupRows.Wanted changed(Projections code) {
    return new LookupRows.Wanted(
        code.select(row, given), equalRow.length == 0 ? null : code.key(row, equalRow));
  }
}
