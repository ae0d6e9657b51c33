package io.groundswell.spark.views.dataflow.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import io.groundswell.error.Place;
import io.groundswell.spark.views.operator.spi.ErrorContext;
import io.groundswell.spark.views.operator.spi.RowFailures;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorExceptionTest {
  private static final OperatorName JOIN =
      new OperatorName("4 (join)", new Place(List.of("v"), List.of("s")), "a = b");

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
        OperatorException.ofData(JOIN, new ErrorContext(), new ArithmeticException("/ by zero"))
            .asEngineException();
    assertEquals(ErrorCode.ROW_FAILED, shown.code());
    assertEquals("[ROW_FAILED] view v; source s: one of its rows fails in a = b: / by zero"
            + RowFailures.advice(new ArithmeticException("/ by zero")),
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
    for (Throwable e = shown; e != null; e = e.getCause()) {
      assertFalse(e instanceof Error, "Spark would end the process");
    }
  }

  /** Names in a message may be like anything that a message has between them. */
  @Test
  void anyNamesCrossAsTheyAre() {
    Place place = new Place(
        List.of("a, b", "source_rows", "x; source y", "it's \"z\": "), List.of("source orders"));
    OperatorName name = new OperatorName("4 (join)", place, "a = b");
    EngineException cause = new EngineException(ErrorCode.CORRUPTION, "block 3 of x.sst");
    assertEquals(place, new OperatorException(name, 1, cause).asEngineException().place());
    assertEquals(place,
        OperatorException.ofData(name, new ErrorContext(), new ArithmeticException("/ by zero"))
            .asEngineException()
            .place());
    assertEquals(
        place, new OperatorException(name, 1, new Exception("x")).asEngineException().place());
  }
}
