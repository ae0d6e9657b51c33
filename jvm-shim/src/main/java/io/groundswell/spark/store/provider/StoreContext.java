package io.groundswell.spark.store.provider;

import io.groundswell.spark.store.encoding.RowEvolution;
import io.groundswell.spark.store.encoding.RowReader;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateSchemaMetadataKey;
import org.apache.spark.sql.execution.streaming.state.StateSchemaProvider;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What a provider was initialised with, shared with its stores.
 *
 * @param id which partition of which store of which operator
 * @param key schema of the default family's keys
 * @param value schema of the default family's values
 * @param useFamilies whether there are families beside the default one
 * @param conf Spark's options of state stores
 * @param hadoopConf for the file system and the run's id
 * @param declared families by name, as Spark declared them; concurrent
 * @param schemas schemas that value rows ever had; none where Spark lets no schema change
 */
record StoreContext(StateStoreId id, StructType key, StructType value, boolean useFamilies,
    StateStoreConf conf, Configuration hadoopConf, Map<String, FamilySpec> declared,
    Option<StateSchemaProvider> schemas) {
  /**
   * Whether value rows carry the number of their schema. Spark's name for that is the encoding
   * {@code avro}; it stands in the query's checkpoint, so a store never changes sides. The rows
   * themselves are Spark's own either way.
   */
  boolean evolves() {
    return useFamilies && "avro".equals(conf.stateStoreEncodingFormat());
  }

  boolean logsEveryWrite() {
    return SparkSettings.logsEveryWrite(CollectionConverters.asJava(conf.sqlConfs()));
  }

  RowReader rowReader(FamilySpec family) {
    if (!evolves()) {
      return RowReader.plain(family.value().length());
    } else if (schemas.isEmpty()) {
      return RowReader.readOnly(family.name(), family.value().length());
    }
    StateSchemaProvider known = schemas.get();
    String name = family.name();
    return new RowEvolution(family.value(),
        ()
            -> known.getCurrentStateSchemaId(name, false),
        id
        -> known.getSchemaMetadataValue(new StateSchemaMetadataKey(name, (short) id, false))
            .sqlSchema());
  }

  void validate(UnsafeRow keyRow, UnsafeRow valueRow) {
    StateStoreProvider.validateStateRowFormat(keyRow, key, valueRow, value, id, conf);
  }
}
