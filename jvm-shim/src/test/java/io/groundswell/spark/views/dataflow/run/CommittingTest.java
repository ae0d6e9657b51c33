package io.groundswell.spark.views.dataflow.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import org.junit.jupiter.api.Test;

class CommittingTest {
  @Test
  void packsAreSharedWhereThatTakesNoJobOrSavesRequests() {
    assertEquals(Committing.BY_PROCESS, Committing.of(true, false, false, true, false, ""));
    assertEquals(Committing.BY_PROCESS, Committing.of(true, false, false, true, true, ""));
    assertEquals(Committing.BY_PROCESS, Committing.of(true, false, false, false, true, ""));
    assertEquals(Committing.BY_TASK, Committing.of(true, false, false, false, false, ""));
  }

  @Test
  void commitsWaitInMemoryOnlyWhereAllTasksCanReadThem() {
    assertEquals(Committing.OVERLAPPED, Committing.of(true, true, false, true, true, ""));
    assertEquals(Committing.OVERLAPPED, Committing.of(true, true, false, true, false, "process"));
    assertEquals(Committing.BY_PROCESS, Committing.of(true, true, false, false, true, ""));
    assertEquals(Committing.BY_TASK, Committing.of(true, true, false, true, true, "task"));
    assertEquals(Committing.ALONE, Committing.of(true, true, true, true, true, ""));
  }

  @Test
  void whatASessionSaysCountsWherePacksAreWritten() {
    assertEquals(Committing.BY_TASK, Committing.of(true, false, false, true, true, "task"));
    assertEquals(Committing.BY_PROCESS, Committing.of(true, false, false, false, false, "process"));
    assertEquals(Committing.ALONE, Committing.of(true, false, true, true, true, "process"));
    assertEquals(Committing.AHEAD, Committing.of(false, false, false, true, true, "task"));
    assertThrows(
        EngineException.class, () -> Committing.of(true, false, false, true, true, "executor"));
  }
}
