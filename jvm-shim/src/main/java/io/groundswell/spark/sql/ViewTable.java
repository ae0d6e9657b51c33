package io.groundswell.spark.sql;

import io.groundswell.spark.views.contract.sql.SqlAnswer;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.util.CharVarcharUtils;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A table or view of a pipeline at one epoch.
 *
 * @param name as SQL says it
 * @param found what Python told of it
 */
record ViewTable(String name, SqlAnswer.ViewAt found)
    implements SupportsRead, SupportsMetadataColumns {
  StructType seen() {
    return (StructType) found.columns();
  }

  /** A column of a table that is a {@code char} is shown, and compared, as one. */
  @Override
  public Column[] columns() {
    return Arrays.stream(CharVarcharUtils.getRawSchema(seen()).fields())
        .map(f -> Column.create(f.name(), f.dataType(), f.nullable()))
        .toArray(Column[] ::new);
  }

  /** The key that a table without one has: {@code SELECT *} does not show it. */
  @Override
  public MetadataColumn[] metadataColumns() {
    StructType seen = seen();
    StructType all = (StructType) found.schema();
    return Arrays.stream(all.fields())
        .filter(f -> seen.getFieldIndex(f.name()).isEmpty())
        .map(f -> (MetadataColumn) new Hidden(f.name(), f.dataType()))
        .toArray(MetadataColumn[] ::new);
  }

  private record Hidden(String name, DataType dataType) implements MetadataColumn {}

  @Override
  public Map<String, String> properties() {
    return found.properties();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new ViewScanBuilder(name, seen(), found);
  }
}
