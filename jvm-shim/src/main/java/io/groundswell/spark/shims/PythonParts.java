package io.groundswell.spark.shims;

import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.v2.python.PythonInputPartition;
import org.apache.spark.sql.execution.datasources.v2.python.PythonPartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.v2.python.UserDefinedPythonDataSource;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** What tasks have Python read, as Spark does it for its own sources in Python. */
public final class PythonParts {
  private final UserDefinedPythonDataSource source;
  private final PartitionReaderFactory reader;

  /**
   * Of a function, and the type of the rows.
   *
   * @param read takes pickled parts, as batches of Arrow with one column of bytes, and gives their
   *     rows, as such batches
   */
  public PythonParts(PythonFunction read, StructType columns) {
    this.source = new UserDefinedPythonDataSource(read);
    this.reader = new PythonPartitionReaderFactory(
        source, PythonFunctions.command(read), columns, Option.empty(), Option.empty());
  }

  /** One part, as Python pickled it. */
  public static InputPartition part(int index, byte[] pickled) {
    return new PythonInputPartition(index, pickled);
  }

  public PartitionReaderFactory reader() {
    return reader;
  }

  public CustomMetric[] metrics() {
    return source.createPythonMetrics();
  }
}
