package provider;

import java.util.List;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessorWithInitialState;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** A running total by key that does not start at zero. */
final class StartedProcessor extends StatefulProcessorWithInitialState<String, Row, Row, Row> {
  private static final long serialVersionUID = 1L;

  private transient ValueState<Long> total;

  @Override
  public void init(OutputMode mode, TimeMode time) {
    total = getHandle().getValueState("total", Encoders.LONG(), TTLConfig.NONE());
  }

  @Override
  public void handleInitialState(String key, Row before, TimerValues times) {
    total.update(before.getLong(1));
  }

  @Override
  public Iterator<Row> handleInputRows(String key, Iterator<Row> rows, TimerValues times) {
    long[] sum = new long[1];
    rows.foreach(row -> sum[0] += row.getLong(1));
    total.update((total.exists() ? total.get() : 0L) + sum[0]);
    return CollectionConverters.asScala(
        List.of(StateOperators.row(key, "total", total.get())).iterator());
  }
}
