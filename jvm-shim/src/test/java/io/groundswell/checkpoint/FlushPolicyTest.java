package io.groundswell.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import org.junit.jupiter.api.Test;

class FlushPolicyTest {
  @Test
  void packsAreSharedWhereThatTakesNoJobOrSavesRequests() {
    assertEquals(FlushPolicy.PROCESS, FlushPolicy.of(true, false, false, true, false, ""));
    assertEquals(FlushPolicy.PROCESS, FlushPolicy.of(true, false, false, true, true, ""));
    assertEquals(FlushPolicy.PROCESS, FlushPolicy.of(true, false, false, false, true, ""));
    assertEquals(FlushPolicy.TASK, FlushPolicy.of(true, false, false, false, false, ""));
  }

  @Test
  void commitsWaitInMemoryOnlyWhereAllTasksCanReadThem() {
    assertEquals(FlushPolicy.OVERLAPPED, FlushPolicy.of(true, true, false, true, true, ""));
    assertEquals(FlushPolicy.OVERLAPPED, FlushPolicy.of(true, true, false, true, false, "process"));
    assertEquals(FlushPolicy.PROCESS, FlushPolicy.of(true, true, false, false, true, ""));
    assertEquals(FlushPolicy.TASK, FlushPolicy.of(true, true, false, true, true, "task"));
    assertEquals(FlushPolicy.ALONE, FlushPolicy.of(true, true, true, true, true, ""));
  }

  @Test
  void whatASessionSaysCountsWherePacksAreWritten() {
    assertEquals(FlushPolicy.TASK, FlushPolicy.of(true, false, false, true, true, "task"));
    assertEquals(FlushPolicy.PROCESS, FlushPolicy.of(true, false, false, false, false, "process"));
    assertEquals(FlushPolicy.ALONE, FlushPolicy.of(true, false, true, true, true, "process"));
    assertEquals(FlushPolicy.CHECKPOINT, FlushPolicy.of(false, false, false, true, true, "task"));
    assertThrows(
        EngineException.class, () -> FlushPolicy.of(true, false, false, true, true, "executor"));
  }
}
