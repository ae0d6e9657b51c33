package provider;

import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** A running total by key, with a time to live or without. */
final class LastingProcessor extends StatefulProcessor<String, Row, Row> {
  private static final long serialVersionUID = 1L;

  private final long ttlMillis;
  private transient ValueState<Long> total;

  LastingProcessor(long ttlMillis) {
    this.ttlMillis = ttlMillis;
  }

  @Override
  public void init(OutputMode mode, TimeMode time) {
    TTLConfig ttl = ttlMillis > 0 ? new TTLConfig(Duration.ofMillis(ttlMillis)) : TTLConfig.NONE();
    total = getHandle().getValueState("total", Encoders.LONG(), ttl);
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
