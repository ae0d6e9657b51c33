package io.groundswell.spark.views.entry;

import io.groundswell.spark.shims.PythonParts;
import io.groundswell.spark.views.capture.stream.StreamLimits;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Streams that Python reads, under the option {@link StreamLimits#READER}.
 *
 * <p>Offsets are told by the Python process that is there, the driver's. Behind Spark's own
 * interface for streams in Python each has a process more, which Spark starts one after the other:
 * a second of processor time and 100 MB each. Tasks read parts as they do behind that interface.
 */
public final class PythonStreamProvider implements TableProvider {
  private static final ConcurrentMap<String, Registered> STREAMS = new ConcurrentHashMap<>();

  private record Registered(
      String name, PythonPort port, PythonReaders readers, StructType columns, PythonParts parts) {}

  /**
   * Makes a stream known to this process.
   *
   * @param name the value of the option
   * @param readers id of the {@link PythonReaders} behind the port
   * @param columns the type of its rows, as JSON
   * @param read what gives the rows of a part, as batches of Arrow
   */
  public static void register(
      String name, PythonPort port, String readers, String columns, PythonFunction read) {
    StructType type = (StructType) DataType.fromJson(columns);
    PythonReaders opened = (PythonReaders) port.object(readers, PythonReaders.class);
    STREAMS.put(name, new Registered(name, port, opened, type, new PythonParts(read, type)));
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return stream(options).columns;
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new StreamTable(stream(new CaseInsensitiveStringMap(properties)));
  }

  private static Registered stream(CaseInsensitiveStringMap options) {
    String name = String.valueOf(options.get(StreamLimits.READER));
    Registered stream = STREAMS.get(name);
    if (stream == null) {
      throw new IllegalArgumentException(
          "no stream " + name + " in this process: read it by gs.delta, gs.postgres and the like");
    }
    return stream;
  }

  private record StreamTable(Registered stream) implements SupportsRead {
    @Override
    public String name() {
      return stream.name;
    }

    @Override
    @SuppressWarnings("deprecation")
    public StructType schema() {
      return stream.columns;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.MICRO_BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return () -> new StreamScan(stream, options);
    }
  }

  private record StreamScan(Registered stream, CaseInsensitiveStringMap options) implements Scan {
    @Override
    public StructType readSchema() {
      return stream.columns;
    }

    @Override
    public String description() {
      return stream.name;
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
      return stream.parts.metrics();
    }

    @Override
    public MicroBatchStream toMicroBatchStream(String checkpointLocation) {
      String id = stream.readers.open(
          options.getLong(StreamLimits.ROWS, 0), options.getLong(StreamLimits.BYTES, 0));
      PythonReader reader = (PythonReader) stream.port.object(id, PythonReader.class);
      return new PythonStream(stream.name, reader, stream.parts);
    }
  }
}
