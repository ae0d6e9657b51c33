package io.groundswell.spark;

import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;

/**
 * What Spark declared of a column family; it does so for every task again.
 *
 * @param name the family's name, also its table's
 * @param key how its keys will be read
 * @param valueFields columns of its value rows
 * @param multiple whether one key has many values
 * @param internal whether Spark keeps it for itself (its keys are not the user's)
 */
record FamilySpec(
    String name, KeyStateEncoderSpec key, int valueFields, boolean multiple, boolean internal) {}
