package io.groundswell.spark.sql;

import io.groundswell.spark.views.contract.sql.EpochChanges;
import io.groundswell.spark.views.contract.sql.EpochRange;
import io.groundswell.spark.views.contract.sql.SqlAnswer;
import io.groundswell.spark.views.contract.sql.SqlRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What the epochs of a range changed in a view.
 *
 * @param name of the view
 * @param request asked Python for the columns
 * @param found what Python told of the view
 */
record ViewChangelog(String name, SqlRequest.LoadChanges request, ChangelogRange range,
    SqlAnswer.ChangesAt found) implements Changelog, ScanBuilder, Scan, Batch {
  private static final EpochRange ALL =
      new EpochRange(null, null, null, null, null, null, true, true, false);

  /**
   * The changes of a view; null if there is no such view.
   *
   * @throws StatementException if the range is not there
   */
  static ViewChangelog of(String name, List<String> namespace, ChangelogContext context) {
    ChangelogRange range = context.range();
    boolean net = context.deduplicationMode() == ChangelogContext.DeduplicationMode.NET_CHANGES;
    SqlRequest.LoadChanges request =
        new SqlRequest.LoadChanges(name, namespace, "schema", net, bounds(range, true));
    SqlAnswer.ChangesAt found = Statements.find(request, SqlAnswer.ChangesAt.class);
    return found == null ? null : new ViewChangelog(name, request, range, found);
  }

  private StructType kept() {
    return (StructType) found.schema();
  }

  @Override
  public StructType readSchema() {
    return ((StructType) found.columns())
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
    return !found.key().isEmpty() && !found.netted();
  }

  @Override
  public boolean representsUpdateAsDeleteAndInsert() {
    return false;
  }

  @Override
  public NamedReference[] rowId() {
    return found.key().stream().map(Expressions::column).toArray(NamedReference[] ::new);
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
    if (request.net()) {
      throw new UnsupportedOperationException("a stream gives each change of " + name
          + ": take deduplicationMode = 'none', and net what you have taken");
    }
    return new ChangesStream(
        epochs(asking(request, "begin", bounds(range, false))), kept(), readSchema(), null);
  }

  @Override
  public String description() {
    return "changes of " + name;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    return partitions(asking(request, "rows", bounds(range, true)));
  }

  /** All rows of a view's newest epoch, then those that come. */
  static MicroBatchStream newRows(String view, StructType kept, StructType read) {
    String[] parts = view.split("\\.");
    EpochRange newest = new EpochRange(null, null, null, null, null, null, true, true, true);
    return new ChangesStream(
        epochs(new SqlRequest.LoadChanges(parts[2], List.of(parts[1]), "begin", false, newest)),
        kept, read, view);
  }

  private static SqlRequest.LoadChanges asking(
      SqlRequest.LoadChanges of, String want, EpochRange range) {
    return new SqlRequest.LoadChanges(of.name(), of.namespace(), want, of.net(), range);
  }

  private static ChangesStream.Epochs epochs(SqlRequest.LoadChanges from) {
    return new ChangesStream.Epochs() {
      private SqlAnswer.ChangesBegin begins() {
        return Statements.changes(from, SqlAnswer.ChangesBegin.class);
      }

      @Override
      public long begin() {
        return begins().before();
      }

      @Override
      public long newest() {
        return begins().newest();
      }

      @Override
      public InputPartition[] between(long after, long until) {
        return partitions(asking(
            from, "rows", new EpochRange(after, until, null, null, null, null, true, true, false)));
      }
    };
  }

  /** What Python tells of a range: a partition for each part of an epoch that has something. */
  private static InputPartition[] partitions(SqlRequest.LoadChanges asked) {
    List<InputPartition> partitions = new ArrayList<>();
    SqlAnswer.ChangesAt found = Statements.changes(asked, SqlAnswer.ChangesAt.class);
    for (EpochChanges epoch : found.epochs()) {
      partitions.addAll(ChangesReader.partitions(epoch));
    }
    return partitions.toArray(InputPartition[] ::new);
  }

  /** The first epoch is read unless the range begins after it. */
  private static EpochRange bounds(ChangelogRange range, boolean end) {
    if (range instanceof ChangelogRange.VersionRange versions) {
      return new EpochRange(null, null, versions.startingVersion(),
          versions.endingVersion().filter(to -> end).orElse(null), null, null,
          range.startingBoundInclusive(), range.endingBoundInclusive(), false);
    }
    if (range instanceof ChangelogRange.TimestampRange times) {
      return new EpochRange(null, null, null, null, times.startingTimestamp(),
          times.endingTimestamp().filter(to -> end).orElse(null), range.startingBoundInclusive(),
          range.endingBoundInclusive(), false);
    }
    return ALL;
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return ChangesReader.factory(kept(), readSchema(), null);
  }
}
