package provider;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsWithStateFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** JVM operators with state over columns (k string, v long, at timestamp); Python calls these. */
public final class StateOperators {
  static final StructType OUTPUT = new StructType()
                                       .add("k", DataTypes.StringType)
                                       .add("what", DataTypes.StringType)
                                       .add("n", DataTypes.LongType);
  static final Encoder<Row> ROWS = Encoders.row(OUTPUT);

  private StateOperators() {}

  static Row row(String key, String what, long n) {
    return RowFactory.create(key, what, n);
  }

  static KeyValueGroupedDataset<String, Row> byKey(Dataset<Row> events) {
    return events.groupByKey(
        (MapFunction<Row, String>) row -> String.valueOf(row.getString(0)), Encoders.STRING());
  }

  static long sum(Iterator<Row> rows) {
    long sum = 0;
    while (rows.hasNext()) {
      sum += rows.next().getLong(1);
    }
    return sum;
  }

  /** A running total by key. */
  public static Dataset<Row> mapGroups(Dataset<Row> events) {
    MapGroupsWithStateFunction<String, Row, Long, Row> total = (key, rows, state) -> {
      state.update((state.exists() ? state.get() : 0L) + sum(rows));
      return row(key, "total", state.get());
    };
    return byKey(events).mapGroupsWithState(
        total, Encoders.LONG(), ROWS, GroupStateTimeout.NoTimeout());
  }

  /** As above; a key that is quiet for a minute of event time leaves. */
  public static Dataset<Row> flatMapGroups(Dataset<Row> events) {
    return byKey(events.withWatermark("at", "10 seconds"))
        .flatMapGroupsWithState(StateOperators::leaving, OutputMode.Append(), Encoders.LONG(), ROWS,
            GroupStateTimeout.EventTimeTimeout());
  }

  private static Iterator<Row> leaving(String key, Iterator<Row> rows, GroupState<Long> state) {
    if (state.hasTimedOut()) {
      long total = state.get();
      state.remove();
      return Collections.singleton(row(key, "left", total)).iterator();
    }
    state.update((state.exists() ? state.get() : 0L) + sum(rows));
    state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + 60_000);
    List<Row> out = new ArrayList<>();
    out.add(row(key, "total", state.get()));
    return out.iterator();
  }

  /** {@code initial} is (k string, n long) and keyed by k, or null. */
  public static Dataset<Row> transform(Dataset<Row> events, Dataset<Row> initial, long ttlMillis) {
    KeyValueGroupedDataset<String, Row> grouped =
        byKey(ttlMillis > 0 ? events : events.withWatermark("at", "10 seconds"));
    TimeMode time = ttlMillis > 0 ? TimeMode.ProcessingTime() : TimeMode.EventTime();
    LedgerProcessor processor = new LedgerProcessor(ttlMillis);
    if (initial == null) {
      return grouped.transformWithState(processor, time, OutputMode.Update(), ROWS);
    }
    KeyValueGroupedDataset<String, Row> before =
        initial.groupByKey((MapFunction<Row, String>) row -> row.getString(0), Encoders.STRING());
    return grouped.transformWithState(
        new StartedProcessor(), time, OutputMode.Update(), before, ROWS, initial.encoder());
  }

  /** One value variable whose schema is {@code schema}, in DDL: it may have changed. */
  public static Dataset<Row> evolving(Dataset<Row> events, String schema) {
    return byKey(events).transformWithState(new EvolvingProcessor(StructType.fromDDL(schema)),
        TimeMode.None(), OutputMode.Update(), ROWS);
  }

  /** A running total by key over processing time, with a time to live or with 0 for none. */
  public static Dataset<Row> lasting(Dataset<Row> events, long ttlMillis) {
    return byKey(events).transformWithState(
        new LastingProcessor(ttlMillis), TimeMode.ProcessingTime(), OutputMode.Update(), ROWS);
  }
}
