package io.groundswell.spark.views.operator.state;

import io.groundswell.spark.views.contract.barrier.Watermarks;
import io.groundswell.spark.views.contract.dataflow.part.WatermarkSpec;
import io.groundswell.spark.views.operator.codec.ByteWriter;
import io.groundswell.spark.views.operator.spi.CallResolver;
import io.groundswell.spark.views.operator.spi.Column;
import io.groundswell.spark.views.operator.spi.Refs;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DateType;

/**
 * A column by which rows are done when the watermark has passed: of rows whose value is below the
 * bound none changes any more. State that is keyed by it begins with its 8 bytes, so that one
 * {@link io.groundswell.engine.Transaction#watermark} ends all rows below.
 */
public final class TimeBound implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int END = 1;

  /** What the column holds: a time, the end of a window, or a window. */
  private enum Kind { TIME, END, WINDOW, SESSION }

  private final int position;
  private final Kind kind;
  private final boolean days;
  private final List<String> sources;
  private final long offset;
  private final long shift;

  /** What the value was made by, step by step; of several ways in a step the smallest counts. */
  private final ArrayList<ArrayList<Expression>> through = new ArrayList<>();

  private final transient WatermarkSpec spec;
  private final transient CallResolver expressions;
  private long bound = Long.MIN_VALUE;

  private TimeBound(WatermarkSpec spec, int position, Column column, CallResolver expressions) {
    this.position = position;
    this.kind = Kind.valueOf(spec.kind().toUpperCase(Locale.ROOT));
    this.days = column.type() instanceof DateType;
    this.sources = List.copyOf(spec.sources());
    this.offset = spec.offset();
    this.shift = spec.shift();
    this.spec = spec;
    this.expressions = expressions;
    for (List<String> step : spec.through()) {
      ArrayList<Expression> ways = new ArrayList<>();
      for (String id : step) {
        Expression way = expressions.expression(id);
        ways.add(way instanceof Alias alias ? alias.child() : way);
      }
      through.add(ways);
    }
  }

  /** The bound that an operator describes; null if it has none. */
  public static TimeBound of(
      WatermarkSpec spec, Refs refs, List<Column> columns, CallResolver expressions) {
    if (spec == null) {
      return null;
    }
    int position = refs.position(spec.column(), columns);
    return new TimeBound(spec, position, columns.get(position), expressions);
  }

  /** The same of a column that stands elsewhere, as in a key; -1 is refused. */
  public TimeBound at(int[] positions, Refs refs, List<Column> columns) {
    for (int i = 0; i < positions.length; i++) {
      if (positions[i] == position) {
        return new TimeBound(spec, i, columns.get(position), expressions);
      }
    }
    throw refs.invalid("has a watermark on a column that is not in its key");
  }

  /**
   * Moves the bound to where the watermarks are; true if it is above that of the barrier before.
   */
  public boolean prepare(Watermarks watermarks) {
    bound = bound(watermarks.now());
    return bound > bound(watermarks.before());
  }

  private long bound(Map<String, Long> watermarks) {
    long low = Long.MAX_VALUE;
    for (String source : sources) {
      Long watermark = watermarks.get(source);
      if (watermark == null) {
        return Long.MIN_VALUE;
      }
      low = Math.min(low, watermark);
    }
    Object value = low + offset;
    for (ArrayList<Expression> step : through) {
      value = eval(step, value);
    }
    long at = ((Number) value).longValue();
    // a window that ends at the watermark is done, a row or a session may still come to it
    return kind == Kind.END || kind == Kind.WINDOW ? at + 1 : at + shift;
  }

  private static Object eval(List<Expression> ways, Object value) {
    Object least = null;
    for (Expression way : ways) {
      Object made = eval(way, value);
      boolean less = least == null || ((Number) made).longValue() < ((Number) least).longValue();
      least = less ? made : least;
    }
    return least;
  }

  /** What an expression makes of the value of its only column. */
  public static Object eval(Expression step, Object value) {
    return step
        .transform(io.groundswell.spark.shims.Scala.rule(node
            -> node instanceof Attribute column ? new Literal(value, column.dataType()) : node))
        .eval(null);
  }

  /** No row below it changes any more; {@code Long.MIN_VALUE}: nothing is known yet. */
  public long bound() {
    return bound;
  }

  /** The value of a row; that of null is above all. */
  public long value(InternalRow row) {
    if (row.isNullAt(position)) {
      return Long.MAX_VALUE;
    }
    return switch (kind) {
      case WINDOW, SESSION -> row.getStruct(position, 2).getLong(END);
      default -> days ? row.getInt(position) : row.getLong(position);
    };
  }

  /** Appends the value of a row, so that it sorts as unsigned bytes. */
  public void write(InternalRow row, ByteWriter out) {
    out.putLong(value(row) ^ Long.MIN_VALUE);
  }

  /** Ends the rows below the bound of a table whose keys begin with the value. */
  public boolean clean(StateTable table) {
    if (bound == Long.MIN_VALUE) {
      return false;
    }
    ByteWriter key = new ByteWriter();
    key.putLong(bound ^ Long.MIN_VALUE);
    return table.watermark(key.copy(0));
  }
}
