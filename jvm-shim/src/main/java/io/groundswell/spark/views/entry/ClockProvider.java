package io.groundswell.spark.views.entry;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A source without rows that has news when a barrier is due: when the last one is so long ago, or
 * when it was asked for. Spark runs no batch while no source has news. Its offset is the number of
 * such barriers; a run over what is available has only those that were asked for.
 */
public final class ClockProvider implements TableProvider {
  private static final ConcurrentMap<String, Clock> CLOCKS = new ConcurrentHashMap<>();
  private static final StructType SCHEMA = new StructType().add("tick", DataTypes.LongType);

  /** When the next barrier of a pipeline is due. */
  private static final class Clock {
    private final long nanos;
    private volatile long last = System.nanoTime();
    private volatile boolean asked;

    Clock(long nanos) {
      this.nanos = nanos;
    }

    boolean isDue(boolean ticks) {
      return asked || (ticks && System.nanoTime() - last >= nanos);
    }
  }

  /** Starts the clock of a pipeline: a barrier is due so long after the last one. */
  public static void register(String pipeline, double seconds) {
    CLOCKS.put(pipeline, new Clock((long) (seconds * 1e9)));
  }

  /** Asks for a barrier; false if the pipeline has no clock. */
  public static boolean ask(String pipeline) {
    Clock clock = CLOCKS.get(pipeline);
    if (clock != null) {
      clock.asked = true;
    }
    return clock != null;
  }

  static void ran(String pipeline) {
    Clock clock = CLOCKS.get(pipeline);
    if (clock != null) {
      clock.asked = false;
      clock.last = System.nanoTime();
    }
  }

  static void forget(String pipeline) {
    CLOCKS.remove(pipeline);
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return SCHEMA;
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new ClockTable();
  }

  private static final class ClockTable implements SupportsRead {
    @Override
    public String name() {
      return "groundswell_clock";
    }

    @Override
    @SuppressWarnings("deprecation")
    public StructType schema() {
      return SCHEMA;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      String pipeline = options.get("pipeline");
      return () -> new ClockScan(pipeline);
    }
  }

  private record ClockScan(String pipeline) implements Scan {
    @Override
    public StructType readSchema() {
      return SCHEMA;
    }

    @Override
    public MicroBatchStream toMicroBatchStream(String checkpointLocation) {
      return new ClockStream(pipeline);
    }
  }

  private static final class Tick extends Offset {
    private final long number;

    Tick(long number) {
      this.number = number;
    }

    @Override
    public String json() {
      return Long.toString(number);
    }
  }

  private static final class ClockStream implements MicroBatchStream, SupportsTriggerAvailableNow {
    private final String pipeline;
    private boolean stopped;

    ClockStream(String pipeline) {
      this.pipeline = pipeline;
    }

    @Override
    public void prepareForTriggerAvailableNow() {
      stopped = true;
    }

    @Override
    public Offset latestOffset(Offset start, ReadLimit limit) {
      Clock clock = CLOCKS.get(pipeline);
      boolean due = clock != null && clock.isDue(!stopped);
      return due ? new Tick(Long.parseLong(start.json()) + 1) : start;
    }

    @Override
    public Offset latestOffset() {
      throw new UnsupportedOperationException("asked with the offset to start from");
    }

    @Override
    public Offset initialOffset() {
      return new Tick(0);
    }

    @Override
    public Offset deserializeOffset(String json) {
      return new Tick(Long.parseLong(json.trim()));
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
      return new InputPartition[0];
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
      return partition -> {
        throw new IllegalStateException("a clock has no rows");
      };
    }

    @Override
    public void commit(Offset end) {
      // nothing is kept
    }

    @Override
    public void stop() {
      // nothing is held
    }
  }
}
