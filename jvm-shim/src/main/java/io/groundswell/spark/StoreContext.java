package io.groundswell.spark;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.types.StructType;

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
 */
record StoreContext(StateStoreId id, StructType key, StructType value, boolean useFamilies,
    StateStoreConf conf, Configuration hadoopConf, Map<String, FamilySpec> declared) {
  void validate(UnsafeRow keyRow, UnsafeRow valueRow) {
    StateStoreProvider.validateStateRowFormat(keyRow, key, valueRow, value, id, conf);
  }
}
