package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Changelog;
import org.apache.spark.sql.connector.catalog.ChangelogRange;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What the epochs of a range changed in a view. An offset of the stream is an epoch.
 *
 * @param name of the view
 * @param request asks Python for the epochs of a range
 * @param found what Python told of the view: {@code schema}, {@code key}
 */
record ViewChangelog(String name, ObjectNode request, ChangelogRange range, JsonNode found)
    implements Changelog, ScanBuilder, Scan, Batch, MicroBatchStream {
  private StructType rows() {
    return (StructType) DataType.fromJson(found.path("schema").toString());
  }

  @Override
  public StructType readSchema() {
    return rows()
        .add("_change_type", DataTypes.StringType, false)
        .add("_commit_version", DataTypes.LongType, false)
        .add("_commit_timestamp", DataTypes.TimestampType, false);
  }

  @Override
  public Column[] columns() {
    return Arrays.stream(readSchema().fields())
        .map(f -> Column.create(f.name(), f.dataType(), f.nullable()))
        .toArray(Column[] ::new);
  }

  @Override
  public boolean containsCarryoverRows() {
    return false;
  }

  /** A row may change at several epochs of the range. */
  @Override
  public boolean containsIntermediateChanges() {
    return true;
  }

  @Override
  public boolean representsUpdateAsDeleteAndInsert() {
    return false;
  }

  @Override
  public NamedReference[] rowId() {
    return Json.strings(found.path("key"))
        .stream()
        .map(Expressions::column)
        .toArray(NamedReference[] ::new);
  }

  @Override
  public NamedReference rowVersion() {
    return Expressions.column("_commit_version");
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return this;
  }

  @Override
  public Scan build() {
    return this;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public MicroBatchStream toMicroBatchStream(String checkpoint) {
    return this;
  }

  @Override
  public String description() {
    return "changes of " + name;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return partitions(bounds(request.deepCopy(), true));
  }

  @Override
  public InputPartition[] planInputPartitions(Offset after, Offset until) {
    ObjectNode asked = request.deepCopy();
    asked.put("after", Long.parseLong(after.json())).put("until", Long.parseLong(until.json()));
    return partitions(asked);
  }

  /** The first epoch is read unless the range begins after it. */
  private ObjectNode bounds(ObjectNode asked, boolean end) {
    if (range instanceof ChangelogRange.VersionRange versions) {
      asked.put("from", versions.startingVersion());
      versions.endingVersion().filter(to -> end).ifPresent(to -> asked.put("to", to));
    } else if (range instanceof ChangelogRange.TimestampRange times) {
      asked.put("fromMicros", times.startingTimestamp());
      times.endingTimestamp().filter(to -> end).ifPresent(to -> asked.put("toMicros", to));
    }
    return asked.put("fromInclusive", range.startingBoundInclusive())
        .put("toInclusive", range.endingBoundInclusive());
  }

  private static InputPartition[] partitions(ObjectNode asked) {
    List<InputPartition> partitions = new ArrayList<>();
    for (JsonNode epoch : ask(asked.put("rows", true)).path("epochs")) {
      partitions.addAll(ChangesReader.partitions(epoch));
    }
    return partitions.toArray(InputPartition[] ::new);
  }

  private static JsonNode ask(ObjectNode asked) {
    return Statements.ask(SparkSession.active(), asked);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return ChangesReader.factory(rows(), readSchema());
  }

  /** The epoch before the first one to read. */
  @Override
  public Offset initialOffset() {
    ObjectNode asked = bounds(request.deepCopy(), false).put("begin", true);
    return new Epoch(ask(asked).path("before").asLong());
  }

  @Override
  public Offset latestOffset() {
    return new Epoch(ask(request.deepCopy().put("begin", true)).path("newest").asLong());
  }

  @Override
  public Offset deserializeOffset(String json) {
    return new Epoch(Long.parseLong(json));
  }

  @Override
  public void commit(Offset end) {}

  @Override
  public void stop() {}

  private static final class Epoch extends Offset {
    private final long number;

    Epoch(long number) {
      this.number = number;
    }

    @Override
    public String json() {
      return Long.toString(number);
    }
  }
}
