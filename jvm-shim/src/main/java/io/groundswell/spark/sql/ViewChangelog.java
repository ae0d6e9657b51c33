package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.groundswell.spark.shims.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Changelog;
import org.apache.spark.sql.connector.catalog.ChangelogContext;
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
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What the epochs of a range changed in a view.
 *
 * @param name of the view
 * @param request asks Python for the epochs of a range
 * @param found what Python told of the view: {@code schema}, {@code columns}, {@code key}
 */
record ViewChangelog(String name, ObjectNode request, ChangelogRange range, JsonNode found)
    implements Changelog, ScanBuilder, Scan, Batch {
  /**
   * The changes of a view.
   *
   * @throws StatementException if the range is not there
   */
  static ViewChangelog of(String name, ObjectNode request, ChangelogContext context) {
    ChangelogRange range = context.range();
    if (context.deduplicationMode() == ChangelogContext.DeduplicationMode.NET_CHANGES) {
      request.put("net", true);
    }
    ObjectNode asked = bounds(request.deepCopy(), range, true).put("check", true);
    return new ViewChangelog(name, request, range, Statements.ask(SparkSession.active(), asked));
  }

  private StructType kept() {
    return (StructType) DataType.fromJson(found.path("schema").toString());
  }

  @Override
  public StructType readSchema() {
    return ((StructType) DataType.fromJson(found.path("columns").toString()))
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

  /** A row may change at several epochs of the range, unless Python nets them by hidden keys. */
  @Override
  public boolean containsIntermediateChanges() {
    return !found.path("key").isEmpty() && !found.path("netted").asBoolean();
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
    if (request.path("net").asBoolean()) {
      throw new UnsupportedOperationException("a stream gives each change of " + name
          + ": take deduplicationMode = 'none', and net what you have taken");
    }
    ObjectNode from = bounds(request.deepCopy(), range, false);
    return new ChangesStream(epochs(from), kept(), readSchema(), null);
  }

  @Override
  public String description() {
    return "changes of " + name;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return partitions(bounds(request.deepCopy(), range, true));
  }

  /** All rows of a view's newest epoch, then those that come. */
  static MicroBatchStream newRows(String view, StructType kept, StructType read) {
    String[] parts = view.split("\\.");
    ObjectNode from = Statements.request("changes").put("name", parts[2]).put("newest", true);
    from.set("namespace", Json.strings(List.of(parts[1])));
    return new ChangesStream(epochs(from), kept, read, view);
  }

  private static ChangesStream.Epochs epochs(ObjectNode from) {
    return new ChangesStream.Epochs() {
      private JsonNode begins() {
        return Statements.ask(SparkSession.active(), from.deepCopy().put("begin", true));
      }

      @Override
      public long begin() {
        return begins().path("before").asLong();
      }

      @Override
      public long newest() {
        return begins().path("newest").asLong();
      }

      @Override
      public InputPartition[] between(long after, long until) {
        return partitions(from.deepCopy().put("after", after).put("until", until));
      }
    };
  }

  /** What Python tells of a range: a partition for each part of an epoch that has something. */
  private static InputPartition[] partitions(ObjectNode asked) {
    List<InputPartition> partitions = new ArrayList<>();
    for (JsonNode epoch :
        Statements.ask(SparkSession.active(), asked.put("rows", true)).path("epochs")) {
      partitions.addAll(ChangesReader.partitions(epoch));
    }
    return partitions.toArray(InputPartition[] ::new);
  }

  /** The first epoch is read unless the range begins after it. */
  private static ObjectNode bounds(ObjectNode asked, ChangelogRange range, boolean end) {
    if (range instanceof ChangelogRange.VersionRange versions) {
      asked.put("from", versions.startingVersion());
      versions.endingVersion().filter(to -> end).ifPresent(to -> asked.put("to", to));
    } else if (range instanceof ChangelogRange.TimestampRange times) {
      asked.put("fromMicros", times.startingTimestamp());
      times.endingTimestamp().filter(to -> end).ifPresent(to -> asked.put("toMicros", to));
    } else {
      return asked; // all there is, which has no bounds to ask for
    }
    return asked.put("fromInclusive", range.startingBoundInclusive())
        .put("toInclusive", range.endingBoundInclusive());
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return ChangesReader.factory(kept(), readSchema(), null);
  }
}
