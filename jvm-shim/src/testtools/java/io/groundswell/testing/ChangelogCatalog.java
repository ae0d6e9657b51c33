package io.groundswell.testing;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.Changelog;
import org.apache.spark.sql.connector.catalog.ChangelogContext;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.types.UTF8String;

/** A catalog with one table, of which it has the changes alone, in this JVM. */
public final class ChangelogCatalog implements TableCatalog {
  private static final List<InternalRow> CHANGES = new CopyOnWriteArrayList<>();
  private static final StructType COLUMNS =
      StructType.fromDDL("id BIGINT, v STRING, _change_type STRING NOT NULL, "
          + "_commit_version BIGINT NOT NULL, _commit_timestamp TIMESTAMP NOT NULL");

  private String name;

  /** One change more, a commit of its own. */
  public static void change(long id, String value, String type) {
    CHANGES.add(new GenericInternalRow(new Object[] {id, UTF8String.fromString(value),
        UTF8String.fromString(type), (long) CHANGES.size(), CHANGES.size() * 1_000_000L}));
  }

  @Override
  public void initialize(String given, CaseInsensitiveStringMap options) {
    name = given;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Changelog loadChangelog(
      Identifier table, ChangelogContext context, CaseInsensitiveStringMap options) {
    return new Changes(table.name());
  }

  @Override
  public Table loadTable(Identifier table) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    return new Identifier[0];
  }

  @Override
  public Table alterTable(Identifier table, TableChange... changes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean dropTable(Identifier table) {
    return false;
  }

  @Override
  public void renameTable(Identifier from, Identifier to) {
    throw new UnsupportedOperationException();
  }

  private record Changes(String name) implements Changelog, ScanBuilder, Scan, MicroBatchStream {
    @Override
    public Column[] columns() {
      return Arrays.stream(COLUMNS.fields())
          .map(f -> Column.create(f.name(), f.dataType(), f.nullable()))
          .toArray(Column[] ::new);
    }

    @Override
    public boolean containsCarryoverRows() {
      return false;
    }

    @Override
    public boolean containsIntermediateChanges() {
      return false;
    }

    @Override
    public boolean representsUpdateAsDeleteAndInsert() {
      return false;
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
    public StructType readSchema() {
      return COLUMNS;
    }

    @Override
    public MicroBatchStream toMicroBatchStream(String checkpoint) {
      return this;
    }

    @Override
    public Offset initialOffset() {
      return new Position(0);
    }

    @Override
    public Offset latestOffset() {
      return new Position(CHANGES.size());
    }

    @Override
    public Offset deserializeOffset(String json) {
      return new Position(Integer.parseInt(json));
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
      return new InputPartition[] {
          new Range(Integer.parseInt(start.json()), Integer.parseInt(end.json()))};
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
      return range -> new Reader((Range) range);
    }

    @Override
    public void commit(Offset end) {}

    @Override
    public void stop() {}
  }

  private static final class Position extends Offset {
    private final int at;

    Position(int at) {
      this.at = at;
    }

    @Override
    public String json() {
      return String.valueOf(at);
    }
  }

  private record Range(int from, int to) implements InputPartition {}

  private static final class Reader implements PartitionReader<InternalRow> {
    private final Range range;
    private int next;

    Reader(Range range) {
      this.range = range;
      this.next = range.from;
    }

    @Override
    public boolean next() {
      return next++ < range.to;
    }

    @Override
    public InternalRow get() {
      return CHANGES.get(next - 1);
    }

    @Override
    public void close() {}
  }
}
