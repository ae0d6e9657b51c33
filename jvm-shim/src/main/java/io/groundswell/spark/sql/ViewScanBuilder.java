package io.groundswell.spark.sql;

import io.groundswell.spark.shims.Catalyst;
import io.groundswell.spark.shims.Scala;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.internal.connector.SupportsPushDownCatalystFilters;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * Decides how a view is read: by its keys or an index where conditions bind one, else as a whole.
 * All conditions stay with Spark, so a lookup may give more rows than the query asks for. They come
 * as Spark's own expressions: Spark 4.3 cannot translate all of them for a source, and then fails.
 */
final class ViewScanBuilder
    implements SupportsPushDownCatalystFilters, SupportsPushDownRequiredColumns {
  private static final int MOST_KEYS = 100;

  private final String name;
  private final SqlAnswer.ViewAt found;
  private final StructType seen;
  private StructType wanted;
  private List<Expression> conditions = List.of();

  ViewScanBuilder(String name, StructType seen, SqlAnswer.ViewAt found) {
    this.name = name;
    this.found = found;
    this.seen = seen;
    this.wanted = seen;
  }

  @Override
  public Seq<Expression> pushFilters(Seq<Expression> given) {
    conditions = Scala.list(given);
    return given;
  }

  @Override
  public Predicate[] pushedFilters() {
    return new Predicate[0];
  }

  /**
   * Columns as a whole, for a row has all fields of a struct, also where few are required. Hidden
   * columns have no fields.
   */
  @Override
  public void pruneColumns(StructType required) {
    Set<String> columns = Set.of(seen.fieldNames());
    wanted = new StructType(Arrays.stream(required.fields())
            .map(field -> columns.contains(field.name()) ? seen.apply(field.name()) : field)
            .toArray(StructField[] ::new));
  }

  @Override
  public Scan build() {
    if (found.state() == null) {
      return new KeyScan(name + " (no epoch yet)", wanted, new InternalRow[0]);
    }
    BoundColumns bound = BoundColumns.of(conditions);
    List<ViewState> states = new ArrayList<>(List.of(ViewState.of(found.state())));
    found.indexes().forEach(index -> states.add(ViewState.of(index)));
    for (ViewState state : states) {
      List<Object[]> keys = bound.keys(state, MOST_KEYS);
      if (!keys.isEmpty()) {
        return lookup(state, keys);
      }
    }
    return new ViewScan(name, wanted, states.get(0), found.epoch());
  }

  private Scan lookup(ViewState state, List<Object[]> keys) {
    Configuration conf =
        ((SparkSession) org.apache.spark.sql.SparkSession.active()).sessionState().newHadoopConf();
    UnsafeProjection columns = projection(state.schema(), wanted);
    List<InternalRow> rows = new ArrayList<>();
    for (Object[] key : keys) {
      state.lookup(key, conf).forEach(row -> rows.add(columns.apply(row).copy()));
    }
    String how = String.format("%s by %s%s, %d key(s)", name, state.isIndex() ? "index " : "key ",
        String.join(", ", state.by()), keys.size());
    return new KeyScan(how, wanted, rows.toArray(InternalRow[] ::new));
  }

  /** From the rows of a state to the columns that are asked for. */
  static UnsafeProjection projection(StructType kept, StructType wanted) {
    List<Expression> columns = new ArrayList<>();
    for (StructField field : wanted.fields()) {
      int at = kept.fieldIndex(field.name());
      columns.add(new BoundReference(at, field.dataType(), kept.fields()[at].nullable()));
    }
    return UnsafeProjection.create(Scala.<Expression>seq(columns));
  }

  /** Rows that were looked up when the query was planned. */
  private record KeyScan(String description, StructType readSchema, InternalRow[] rows)
      implements LocalScan {
    @Override
    public String toString() {
      return "lookup of " + description;
    }
  }
}
