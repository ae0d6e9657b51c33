package io.groundswell.spark.operator;

import io.groundswell.engine.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.DataType;

/**
 * One step of a delta join: {@code ΔX ⋈ I} with the index I as the barrier before left it, or, with
 * a second input, {@code ΔX ⋈ (I + ΔI)}.
 *
 * <p>It has no state. It reads that of an {@link ArrangeOperator}, at the base, and writes nothing
 * into the transaction it is given. Every index key that the stream names is read once.
 *
 * <p>Takes any changes of the stream; gives each beside every row of its index key, with its
 * weight. Terms of a delta join may cancel each other out: see {@link NetOperator}.
 */
final class LookupOperator implements RowOperator {
  private static final long serialVersionUID = 1L;
  private static final ChangeBuffer UNCHANGED = new ChangeBuffer(1);

  private final List<Column> stream;
  private final List<Column> delta;
  private final List<Column> row;
  private final int[] keys;
  private final int[] deltaKeys;
  private final int[] deltaKey;
  private final int keyWidth;
  private final int[] given;
  private final int[] equalStream;
  private final int[] equalRow;

  LookupOperator(Spec spec, List<List<Column>> inputs, List<Column> output) {
    this.stream = List.copyOf(inputs.get(0));
    this.delta = inputs.size() > 1 ? List.copyOf(inputs.get(1)) : null;
    List<Column> rowColumns = new ArrayList<>();
    for (DataType type : spec.types("rowTypes")) {
      rowColumns.add(new Column("r" + rowColumns.size(), "r" + rowColumns.size(), type, true));
    }
    this.row = List.copyOf(rowColumns);
    this.keys = spec.positions("keys", stream);
    this.deltaKeys = delta == null ? null : spec.positions("deltaKeys", delta);
    this.deltaKey = delta == null ? null : spec.positions("deltaKey", delta);
    this.keyWidth = spec.number("keyWidth");
    this.given = spec.list("row").stream().mapToInt(each -> each.number("at")).toArray();
    this.equalStream =
        spec.list("equal").stream().mapToInt(each -> each.position("ref", stream)).toArray();
    this.equalRow = spec.list("equal").stream().mapToInt(each -> each.number("at")).toArray();
    check(spec, output);
  }

  private void check(Spec spec, List<Column> output) {
    RowKeys.check(spec, stream, keys);
    if (delta != null && !Arrays.equals(Projections.types(delta), Projections.types(row))) {
      throw spec.invalid("reads an index of other columns than its changes have");
    }
    for (int i = 0; i < keys.length; i++) {
      DataType wanted = row.get(spec.list("index").get(i).number("at")).type();
      if (!DataType.equalsStructurally(stream.get(keys[i]).type(), wanted, true)) {
        throw spec.invalid("looks up a key of type " + stream.get(keys[i]).type().sql()
            + " in an index by " + wanted.sql());
      }
    }
    int width = stream.size();
    if (output.size() != width + given.length
        || !Arrays.equals(
            spec.positions(output.subList(0, width), stream), Projections.all(width))) {
      throw spec.invalid("must give the columns of the stream, then those of the index row");
    }
  }

  /** Changes of the index alone are nothing to look up. */
  @Override
  public boolean hasWork(List<Iterator<InternalRow>> inputs) {
    return inputs.get(0).hasNext();
  }

  /** A change of the stream: what the index row must equal besides its key; null: nothing. */
  private record Probe(UnsafeRow row, int weight, UnsafeRow equal) {}

  @Override
  public Iterator<InternalRow> run(
      Transaction tx, long epoch, List<Iterator<InternalRow>> inputs, OperatorCounters counters) {
    Projections code = new Projections();
    RowKeys lookupKeys = new RowKeys(code, stream, keys);
    Map<UnsafeRow, List<Probe>> probes = probes(code, inputs.get(0), lookupKeys, counters);
    if (probes.isEmpty()) {
      code.release();
      return Collections.emptyIterator();
    }
    Map<UnsafeRow, ChangeBuffer> changes = delta == null
        ? Map.of()
        : IndexChanges.collect(code, inputs.get(1), delta, new RowKeys(code, delta, deltaKeys),
              deltaKey, probes.keySet(), counters);
    JoinSide rows =
        new JoinSide(tx, ArrangeOperator.ROWS, row.size(), keyWidth, false, null, counters);
    return new Matches(code, lookupKeys, probes, changes, rows, counters);
  }

  private Map<UnsafeRow, List<Probe>> probes(
      Projections code, Iterator<InternalRow> rows, RowKeys lookupKeys, OperatorCounters counters) {
    UnsafeProjection values = code.select(stream, Projections.all(stream.size()));
    UnsafeProjection equal = equalStream.length == 0 ? null : code.key(stream, equalStream);
    Map<UnsafeRow, List<Probe>> probes = new LinkedHashMap<>();
    while (rows.hasNext()) {
      InternalRow next = rows.next();
      counters.rowsIn++;
      UnsafeRow key = lookupKeys.of(next);
      UnsafeRow rest = equal == null ? null : equal.apply(next);
      if (lookupKeys.hasNull(key) || (rest != null && rest.anyNull())) {
        continue;
      }
      List<Probe> same = probes.get(key);
      if (same == null) {
        same = new ArrayList<>(1);
        probes.put(key.copy(), same);
      }
      same.add(new Probe(values.apply(next).copy(), next.getInt(stream.size()),
          rest == null ? null : rest.copy()));
    }
    return probes;
  }

  /** The pairs, index key by index key. */
  private final class Matches extends ChangeIterator {
    private final RowKeys lookupKeys;
    private final Iterator<Map.Entry<UnsafeRow, List<Probe>>> keysLeft;
    private final Map<UnsafeRow, ChangeBuffer> changes;
    private final JoinSide rows;
    private final UnsafeProjection select;
    private final UnsafeProjection equal;
    private final UnsafeRowJoiner join;

    private List<Probe> probes = List.of();
    private ChangeBuffer changed = UNCHANGED;
    private Iterator<ChangeBuffer.Change> inserted = Collections.emptyIterator();
    private boolean scanning;
    private int at; // in the probes, for the current index row
    private UnsafeRow selected;
    private UnsafeRow rest;

    Matches(Projections code, RowKeys lookupKeys, Map<UnsafeRow, List<Probe>> probes,
        Map<UnsafeRow, ChangeBuffer> changes, JoinSide rows, OperatorCounters counters) {
      super(code, concat(stream, row, given), counters);
      this.lookupKeys = lookupKeys;
      this.keysLeft = probes.entrySet().iterator();
      this.changes = changes;
      this.rows = rows;
      this.select = code.select(row, given);
      this.equal = equalRow.length == 0 ? null : code.key(row, equalRow);
      this.join = code.joiner(Projections.types(stream), Projections.types(row, given));
    }

    @Override
    protected boolean advance() {
      if (at < probes.size()) {
        match(probes.get(at++));
        return true;
      }
      if (scanning) {
        scanning = rows.next(changed);
        if (scanning) {
          start(rows.row());
        } else {
          inserted = changed.net().iterator();
        }
        return true;
      }
      if (inserted.hasNext()) {
        UnsafeRow row = inserted.next().after();
        if (row != null) {
          start(row);
        }
        return true;
      }
      return nextKey();
    }

    private boolean nextKey() {
      if (!keysLeft.hasNext()) {
        return false;
      }
      Map.Entry<UnsafeRow, List<Probe>> entry = keysLeft.next();
      probes = entry.getValue();
      at = probes.size();
      changed = changes.getOrDefault(entry.getKey(), UNCHANGED);
      rows.open(lookupKeys.hash(entry.getKey()), entry.getKey());
      scanning = true;
      return true;
    }

    private void start(UnsafeRow indexRow) {
      selected = select.apply(indexRow);
      rest = equal == null ? null : equal.apply(indexRow);
      at = 0;
    }

    private void match(Probe probe) {
      if (rest != null && !rest.equals(probe.equal())) {
        return;
      }
      UnsafeRow pair = join.join(probe.row(), selected);
      before = probe.weight() < 0 ? pair : null;
      after = probe.weight() < 0 ? null : pair;
    }
  }

  private static DataType[] concat(List<Column> stream, List<Column> row, int[] given) {
    DataType[] left = Projections.types(stream);
    DataType[] right = Projections.types(row, given);
    DataType[] both = Arrays.copyOf(left, left.length + right.length);
    System.arraycopy(right, 0, both, left.length, right.length);
    return both;
  }
}
