package io.groundswell.spark.dataflow;

/** An operator failed; says which one. */
public final class OperatorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OperatorException(String operator, int partition, Throwable cause) {
    super("operator " + operator + ", partition " + partition + ": " + cause, cause);
  }
}
