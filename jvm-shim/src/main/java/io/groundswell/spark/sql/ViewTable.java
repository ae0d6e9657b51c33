package io.groundswell.spark.sql;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
 * @param found what Python told of it: {@code columns} that a reader sees, {@code epoch}, {@code
 *     properties}, and what {@link ViewState} has
 */
record ViewTable(String name, JsonNode found) implements SupportsRead, SupportsMetadataColumns {
  long epoch() {
    return found.path("epoch").asLong(-1);
  }

  StructType seen() {
    return (StructType) DataType.fromJson(found.path("columns").toString());
  }

  @Override
  public Column[] columns() {
    return Arrays.stream(seen().fields())
        .map(f -> Column.create(f.name(), f.dataType(), f.nullable()))
        .toArray(Column[] ::new);
  }

  /** The key that a table without one has: {@code SELECT *} does not show it. */
  @Override
  public MetadataColumn[] metadataColumns() {
    StructType seen = seen();
    StructType all = (StructType) DataType.fromJson(found.path("schema").toString());
    return Arrays.stream(all.fields())
        .filter(f -> seen.getFieldIndex(f.name()).isEmpty())
        .map(f -> (MetadataColumn) new Hidden(f.name(), f.dataType()))
        .toArray(MetadataColumn[] ::new);
  }

  private record Hidden(String name, DataType dataType) implements MetadataColumn {}

  @Override
  public Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    found.path("properties")
        .properties()
        .forEach(each -> properties.put(each.getKey(), each.getValue().asText()));
    return properties;
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
