package io.groundswell.spark.views.dataflow.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.spark.views.operator.spi.AtHand;
import io.groundswell.spark.views.operator.spi.RowFailures;
import org.junit.jupiter.api.Test;

class OperatorExceptionTest {
  private static final OperatorName JOIN =
      new OperatorName("4 (join)", "view v; source s", "a = b");

  @Test
  void anEngineErrorKeepsItsCodeAndGetsThePlace() {
    EngineException cause = new EngineException(ErrorCode.CORRUPTION, "block 3 of x.sst");
    EngineException shown = new OperatorException(JOIN, 1, cause).asEngineException();
    assertEquals(ErrorCode.CORRUPTION, shown.code());
    assertEquals("[CORRUPTION] view v; source s: operator 4 (join), partition 1: block 3 of x.sst",
        shown.getMessage());
  }

  @Test
  void anyOtherErrorIsTheOperators() {
    EngineException shown =
        new OperatorException(JOIN, 1, new IllegalStateException("boom")).asEngineException();
    assertEquals(ErrorCode.OPERATOR_FAILED, shown.code());
    assertEquals("[OPERATOR_FAILED] view v; source s: operator 4 (join), partition 1: "
            + "java.lang.IllegalStateException: boom. The log of Spark's task has the stack",
        shown.getMessage());
  }

  @Test
  void anErrorOfTheDataNamesWhatWasAtHand() {
    EngineException shown =
        OperatorException.ofData(JOIN, new AtHand(), new ArithmeticException("/ by zero"))
            .asEngineException();
    assertEquals(ErrorCode.ROW_FAILED, shown.code());
    assertEquals("[ROW_FAILED] view v; source s: one of its rows fails in a = b: / by zero"
            + RowFailures.ADVICE,
        shown.getMessage());
  }

  @Test
  void aFullHeapIsAnErrorThatSaysWhoHoldsWhat() {
    EngineException shown = OperatorException
                                .ofMemory(JOIN, 1, new OutOfMemoryError("Java heap space"),
                                    512L << 20, "block cache 100 MiB")
                                .asEngineException();
    assertEquals(ErrorCode.OUT_OF_MEMORY, shown.code());
    assertEquals("[OUT_OF_MEMORY] view v; source s: operator 4 (join), partition 1: Java heap "
            + "space, of 512 MiB. Held: block cache 100 MiB.",
        shown.getMessage().replaceFirst(" Nothing of the barrier .*", ""));
  }
}
