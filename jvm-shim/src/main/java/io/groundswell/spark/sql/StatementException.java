package io.groundswell.spark.sql;

/**
 * A statement, or a read of a view, that cannot be carried out. The message begins with {@code
 * [GROUNDSWELL.ErrorClass]}, and ends with a number by which Python finds the error that it raised.
 * It has no stack: the JVM's says nothing of what Python found, and clients such as dbt print it.
 */
public final class StatementException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StatementException(String message) {
    super(message, null, false, false);
  }
}
