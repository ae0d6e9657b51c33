package provider;

import java.util.List;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ListState;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Sums into the first column of a struct; other columns hold the number of columns there are. */
final class EvolvingProcessor extends StatefulProcessor<String, Row, Row> {
  private static final long serialVersionUID = 1L;

  private final StructType schema;
  private transient ValueState<Row> state;
  private transient ListState<Row> history;

  EvolvingProcessor(StructType schema) {
    this.schema = schema;
  }

  @Override
  public void init(OutputMode mode, TimeMode time) {
    state = getHandle().getValueState("state", Encoders.row(schema), TTLConfig.NONE());
    history = getHandle().getListState("history", Encoders.row(schema), TTLConfig.NONE());
  }

  @Override
  public Iterator<Row> handleInputRows(String key, Iterator<Row> rows, TimerValues times) {
    long[] sum = new long[1];
    rows.foreach(row -> sum[0] += row.getLong(1));
    Row before = state.exists() ? state.get() : null;
    Object[] now = new Object[schema.length()];
    int at = schema.fieldIndex("total");
    long total = sum[0] + (before == null ? 0 : ((Number) before.get(at)).longValue());
    for (int i = 0; i < now.length; i++) {
      now[i] = i == at ? number(total) : "of " + now.length;
    }
    Row updated = RowFactory.create(now);
    state.update(updated);
    history.appendValue(updated);
    StringBuilder all = new StringBuilder(before == null ? "new" : before.mkString("|"));
    history.get().foreach(row -> all.append(' ').append(row.mkString("|")));
    return CollectionConverters.asScala(
        List.of(StateOperators.row(key, all.toString(), total)).iterator());
  }

  private Object number(long total) {
    return schema.apply("total").dataType().typeName().equals("integer") ? (Object) (int) total
                                                                         : (Object) total;
  }
}
