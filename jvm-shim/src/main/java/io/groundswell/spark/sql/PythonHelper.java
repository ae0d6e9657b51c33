package io.groundswell.spark.sql;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkConf;
import org.apache.spark.api.python.Py4JServer;
import org.apache.spark.sql.SparkSession;

/**
 * A Python process for a JVM that has none: {@code spark-sql}, the Thrift server, a Connect server,
 * a program in Scala. It is started by the first statement of ours, and ends with the JVM, which
 * holds its standard input open.
 */
public final class PythonHelper {
  private static final int SECONDS = 120;

  private static Process process;
  private static SparkSession session;

  private PythonHelper() {}

  /** The session that needed the process; Python asks for it. */
  public static synchronized SparkSession session() {
    return session;
  }

  /**
   * Starts the process, once, and waits until it answers.
   *
   * @param answers whether it does
   * @throws StatementException if it does not
   */
  static void start(SparkSession wanted, BooleanSupplier answers) {
    synchronized (PythonHelper.class) {
      if (process == null || !process.isAlive()) {
        session = wanted;
        process =
            launch(((org.apache.spark.sql.classic.SparkSession) wanted).sparkContext().conf());
      }
    }
    try {
      for (int i = 0; i < SECONDS * 10 && !answers.getAsBoolean(); i++) {
        if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
          throw failed("ended with status " + process.exitValue() + "; its output says why");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("was interrupted while it started");
    }
    if (!answers.getAsBoolean()) {
      throw failed("did not answer within " + SECONDS + " seconds");
    }
  }

  private static Process launch(SparkConf conf) {
    Py4JServer server = new Py4JServer(conf);
    server.start();
    ProcessBuilder builder = new ProcessBuilder(python(conf), "-m", "groundswell.sql")
                                 .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                 .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("PYSPARK_GATEWAY_PORT", String.valueOf(server.getListeningPort()));
    builder.environment().put("PYSPARK_GATEWAY_SECRET", server.secret());
    try {
      return builder.start();
    } catch (IOException e) {
      throw failed("cannot be started: " + e.getMessage());
    }
  }

  private static String python(SparkConf conf) {
    return Optional.ofNullable(conf.get("spark.pyspark.driver.python", null))
        .or(() -> Optional.ofNullable(conf.get("spark.pyspark.python", null)))
        .or(() -> Optional.ofNullable(System.getenv("PYSPARK_DRIVER_PYTHON")))
        .or(() -> Optional.ofNullable(System.getenv("PYSPARK_PYTHON")))
        .orElse("python3");
  }

  private static StatementException failed(String what) {
    return new StatementException("[GROUNDSWELL.ConfigurationError] the Python process that "
        + "answers for pipelines " + what
        + (". It needs pyspark and groundswell; conf spark.pyspark.python says which Python it "
            + "is"));
  }
}
