package io.groundswell.spark.views.dataflow.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import org.junit.jupiter.api.Test;

class OperatorExceptionTest {
  @Test
  void anEngineErrorKeepsItsCodeAndGetsThePlace() {
    EngineException cause = new EngineException(ErrorCode.CORRUPTION, "block 3 of x.sst");
    EngineException shown =
        (EngineException) new OperatorException("4 (join)", 1, cause).asEngineException();
    assertEquals(ErrorCode.CORRUPTION, shown.code());
    assertEquals(
        "[CORRUPTION] operator 4 (join), partition 1: block 3 of x.sst", shown.getMessage());
  }

  @Test
  void anyOtherErrorStaysAsItIs() {
    OperatorException e = new OperatorException("4 (join)", 1, new IllegalStateException("boom"));
    assertSame(e, e.asEngineException());
    assertEquals(
        "operator 4 (join), partition 1: java.lang.IllegalStateException: boom", e.getMessage());
  }
}
