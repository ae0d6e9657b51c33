package io.groundswell.spark.views.entry;

import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.dataflow.run.RepeatedFailures;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.sources.StreamSinkProvider;
import org.apache.spark.sql.streaming.OutputMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * The sink of a pipeline's streaming query: it turns micro-batches into barriers. Used as {@code
 * writeStream.format("io.groundswell.spark.views.entry.BarrierSinkProvider").option("pipeline",
 * id)}, where {@code id} is what a handler was registered under.
 */
public final class BarrierSinkProvider implements StreamSinkProvider {
  private static final String PIPELINE = "pipeline";
  private static final Logger LOG = LoggerFactory.getLogger(BarrierSinkProvider.class);
  private static final ConcurrentMap<String, BarrierHandler> HANDLERS = new ConcurrentHashMap<>();

  public static void register(String pipeline, BarrierHandler handler) {
    if (HANDLERS.putIfAbsent(pipeline, handler) != null) {
      throw new IllegalStateException("pipeline \"" + pipeline + "\" is running already");
    }
  }

  public static void unregister(String pipeline) {
    ClockProvider.forget(pipeline);
    HANDLERS.remove(pipeline);
  }

  @Override
  public Sink createSink(SQLContext context, Map<String, String> options,
      Seq<String> partitionColumns, OutputMode mode) {
    String pipeline = options.getOrElse(PIPELINE, () -> null);
    if (pipeline == null || !HANDLERS.containsKey(pipeline)) {
      throw new IllegalArgumentException("no pipeline \"" + pipeline
          + "\" is registered in this process: this sink is started by"
          + " DataFrame.incremental(), not by hand");
    }
    RepeatedFailures.leaveOut();
    return new BarrierSink(pipeline);
  }

  private record BarrierSink(String pipeline) implements Sink {
    @Override
    public void addBatch(long epoch, Dataset<Row> batch) {
      BarrierHandler handler = HANDLERS.get(pipeline);
      if (handler == null) {
        throw new IllegalStateException(
            "pipeline \"" + pipeline + "\" was stopped before barrier " + epoch);
      }
      ClockProvider.ran(pipeline);
      RepeatedFailures.ofRun(
          batch.sparkSession().sparkContext().getLocalProperty("spark.jobGroup.id"));
      String failure = handler.onBarrier(epoch, batch);
      if (failure != null) {
        if (failure.contains("[" + ErrorCode.ROW_FAILED + "]")) {
          LOG.error("barrier {}: {}", epoch, failure.lines().findFirst().orElse(failure));
        }
        throw failure.isEmpty() ? stopped(epoch) : new BarrierFailedException(epoch, failure);
      }
    }

    /** What Spark takes for the end of a query that was stopped, not for a failure. */
    private static UncheckedIOException stopped(long epoch) {
      return new UncheckedIOException(
          new InterruptedIOException("stopped during barrier " + epoch));
    }

    @Override
    public String toString() {
      return "Groundswell[" + pipeline + "]";
    }
  }
}
