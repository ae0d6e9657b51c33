package provider;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.ListState;
import org.apache.spark.sql.streaming.MapState;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Value, list and map state by key, with a time to live or with a timer that says goodbye. */
final class LedgerProcessor extends StatefulProcessor<String, Row, Row> {
  private static final long serialVersionUID = 1L;

  private final long ttlMillis;
  private transient ValueState<Long> count;
  private transient ListState<Long> seen;
  private transient MapState<Long, Long> byValue;

  LedgerProcessor(long ttlMillis) {
    this.ttlMillis = ttlMillis;
  }

  @Override
  public void init(OutputMode mode, TimeMode time) {
    TTLConfig ttl = ttlMillis > 0 ? new TTLConfig(Duration.ofMillis(ttlMillis)) : TTLConfig.NONE();
    count = getHandle().getValueState("count", Encoders.LONG(), ttl);
    seen = getHandle().getListState("seen", Encoders.LONG(), ttl);
    byValue = getHandle().getMapState("byValue", Encoders.LONG(), Encoders.LONG(), ttl);
  }

  @Override
  public Iterator<Row> handleInputRows(String key, Iterator<Row> rows, TimerValues times) {
    List<Long> values = new ArrayList<>();
    rows.foreach(row -> values.add(row.getLong(1)));
    values.sort(null);
    long before = count.exists() ? count.get() : 0L;
    count.update(before + values.size());
    seen.appendList(values.toArray(Long[] ::new));
    for (long value : values) {
      long times1 = byValue.containsKey(value) ? byValue.getValue(value) : 0L;
      byValue.updateValue(value, times1 + 1);
    }
    byValue.removeKey(0L);
    if (ttlMillis == 0) {
      List<Long> old = new ArrayList<>();
      getHandle().listTimers().foreach(timer -> old.add((Long) timer));
      old.forEach(timer -> getHandle().deleteTimer(timer));
      getHandle().registerTimer(times.getCurrentWatermarkInMs() + 50_000);
    }
    List<Row> out = new ArrayList<>();
    out.add(StateOperators.row(key, "count", count.get()));
    long[] sum = new long[1];
    seen.get().foreach(value -> sum[0] += value);
    out.add(StateOperators.row(key, "sum", sum[0]));
    out.add(StateOperators.row(key, "distinct", byValue.keys().length()));
    return CollectionConverters.asScala(out.iterator());
  }

  @Override
  public Iterator<Row> handleExpiredTimer(String key, TimerValues times, ExpiredTimerInfo timer) {
    long was = count.get();
    count.clear();
    seen.clear();
    byValue.clear();
    return CollectionConverters.asScala(List.of(StateOperators.row(key, "left", was)).iterator());
  }
}
