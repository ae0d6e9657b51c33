package io.groundswell.spark.views.dataflow.run;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.error.FullHeap;
import io.groundswell.error.Place;
import io.groundswell.spark.views.operator.spi.ErrorContext;
import io.groundswell.spark.views.operator.spi.RowFailures;

/** An operator failed; says which one. */
public final class OperatorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Place place;
  private final String operator;

  OperatorException(OperatorName operator, int partition, Throwable cause) {
    super("operator " + operator.label() + ", partition " + partition + ": " + cause, cause);
    this.place = operator.place();
    this.operator = "operator " + operator.label() + ", partition " + partition + ": ";
  }

  /** An error that says itself where it is from. */
  OperatorException(EngineException cause) {
    super(cause.getMessage(), cause);
    this.place = cause.place();
    this.operator = null;
  }

  /** An expression failed on what the operator was at work on. */
  static OperatorException ofData(OperatorName name, ErrorContext atHand, Exception e) {
    RepeatedFailures.leaveOut();
    return new OperatorException(new EngineException(ErrorCode.ROW_FAILED, name.place(),
        atHand + " fails in " + RowFailures.clip(name.text()) + ": " + RowFailures.text(e)
            + RowFailures.advice(e),
        e));
  }

  /**
   * The heap is full: says who holds what of it.
   *
   * @param held what of it is known
   */
  static OperatorException ofMemory(
      OperatorName name, int partition, OutOfMemoryError cause, long heapBytes, String held) {
    String who = "operator " + name.label() + ", partition " + partition;
    return new OperatorException(FullHeap.error(name.place(), who, cause, heapBytes, held));
  }

  /** The same under the code of the engine's error behind it, or {@code OPERATOR_FAILED}. */
  public EngineException asEngineException() {
    if (!(getCause() instanceof EngineException e)) {
      return new EngineException(ErrorCode.OPERATOR_FAILED, place,
          operator + getCause().getClass().getName() + ": " + RowFailures.text(getCause())
              + ". The log of Spark's task has the stack",
          this);
    }
    return operator == null ? e : new EngineException(e.code(), place, operator + e.what(), this);
  }
}
