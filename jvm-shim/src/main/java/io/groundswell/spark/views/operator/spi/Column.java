package io.groundswell.spark.views.operator.spi;

import java.io.Serializable;
import org.apache.spark.sql.types.DataType;

/**
 * A column of an operator's input or output.
 *
 * @param ref what the dataflow calls it
 * @param name what people call it, for messages
 */
public record Column(String ref, String name, DataType type, boolean nullable)
    implements Serializable {}
