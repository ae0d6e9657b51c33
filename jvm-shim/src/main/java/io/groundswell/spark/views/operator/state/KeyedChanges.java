package io.groundswell.spark.views.operator.state;

import io.groundswell.engine.EngineServices;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.OperatorCounters;
import io.groundswell.spark.views.operator.spi.Projections;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A barrier's changes, or a part of them, netted by key. A key has few rows, so a pass keeps the
 * keys that it has, and rows of others wait for a later one.
 */
public final class KeyedChanges implements Passes.Collector {
  private final ChangeBuffer changes = new ChangeBuffer();
  private final Projections code = new Projections();
  private final RowKeys keys;
  private final UnsafeProjection values;
  private final List<Column> input;
  private final Function<Pass, Iterator<InternalRow>> then;
  private final ToIntFunction<InternalRow> weight;
  private UnsafeProjection whole; // null: no row was moved yet

  private KeyedChanges(List<Column> input, int[] key, int[] fields,
      ToIntFunction<InternalRow> weight, Function<Pass, Iterator<InternalRow>> then) {
    this.weight = weight;
    this.input = input;
    this.keys = new RowKeys(code, input, key);
    this.values = code.select(input, fields);
    this.then = then;
  }

  /**
   * What a pass knows.
   *
   * @param code of this pass; whoever takes it gives it back
   */
  public record Pass(ChangeBuffer changes, RowKeys keys, Projections code) {
    /** The changes; each key may have at most one deleted and one inserted row left. */
    public Pass keyed(String otherwise) {
      if (!changes.isKeyed()) {
        throw RowKeys.inconsistent(otherwise);
      }
      return this;
    }
  }

  /**
   * Takes the rows to their end, in as many passes as memory needs.
   *
   * @param input columns of the rows, whose weight follows them
   * @param key positions of the key
   * @param fields positions of what is kept of a row
   * @param then what follows from the changes of a pass
   */
  public static Iterator<InternalRow> over(Iterator<InternalRow> rows, List<Column> input,
      int[] key, int[] fields, OperatorCounters counters,
      Function<Pass, Iterator<InternalRow>> then) {
    int at = input.size();
    return over(rows, input, key, fields, row -> row.getInt(at), counters, then);
  }

  /**
   * As above.
   *
   * @param weight of a row of the input
   */
  public static Iterator<InternalRow> over(Iterator<InternalRow> rows, List<Column> input,
      int[] key, int[] fields, ToIntFunction<InternalRow> weight, OperatorCounters counters,
      Function<Pass, Iterator<InternalRow>> then) {
    return Passes.over(List.of(rows),
        ()
            -> new KeyedChanges(input, key, fields, weight, then),
        new int[] {input.size()}, EngineServices.shared().collected(), counters);
  }

  /** As {@link #over} of whole rows, for what follows all at once and gives nothing. */
  public static void each(Iterator<InternalRow> rows, List<Column> input, int[] key, int[] fields,
      OperatorCounters counters, Consumer<Pass> then) {
    over(rows, input, key, fields, counters, pass -> {
      then.accept(pass);
      pass.code.release();
      return Collections.emptyIterator();
    }).hasNext(); // takes all passes: none gives a row
  }

  @Override
  public long add(int number, InternalRow row) {
    UnsafeRow key = keys.of(row);
    UnsafeRow value = values.apply(row);
    int before = changes.changes().size();
    changes.add(key, weight.applyAsInt(row), value);
    return ChangeBuffer.ROW_OVERHEAD + value.getSizeInBytes()
        + (changes.changes().size() == before
                ? 0
                : ChangeBuffer.CHANGE_OVERHEAD + key.getSizeInBytes());
  }

  @Override
  public void move(int number, InternalRow row, Passes.Target parts) {
    UnsafeRow key = keys.of(row);
    if (changes.get(key) != null) {
      add(number, row);
      return;
    }
    if (whole == null) {
      whole = code.select(input, Projections.all(input.size()));
    }
    parts.add(number, keys.hash(key), row.getInt(input.size()), whole.apply(row));
  }

  @Override
  public Iterator<InternalRow> changes() {
    return then.apply(new Pass(changes, keys, code));
  }
}
