package io.groundswell.spark.store.provider;

import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.types.StructType;

/**
 * What Spark declared of a column family; it does so for every task again.
 *
 * @param name the family's name, also its table's
 * @param key how its keys will be read
 * @param value the schema of its value rows
 * @param multiple whether one key has many values
 * @param internal whether Spark keeps it for itself (its keys are not the user's)
 */
record FamilySpec(
    String name, KeyStateEncoderSpec key, StructType value, boolean multiple, boolean internal) {}
