package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.util.EnumMap;
import java.util.Map;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which of Spark's conditions stands for which of the engine's codes, row by row. */
class SparkErrorsTest {
  private static final StateStoreId STORE = new StateStoreId("file:/state", 1, 2, "default");
  private static final String LOAD = "CANNOT_LOAD_STATE_STORE.";
  private static final Map<ErrorCode, String> CONDITIONS = new EnumMap<>(ErrorCode.class);

  static {
    CONDITIONS.put(ErrorCode.VERSION_UNAVAILABLE, LOAD + "CANNOT_READ_STREAMING_STATE_FILE");
    CONDITIONS.put(ErrorCode.CORRUPTION, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.FORMAT_TOO_NEW, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.INVALID_ARGUMENT, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.ILLEGAL_STATE, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.STORAGE, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.CHECKPOINT_LOST, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.FENCED, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.INCONSISTENT_CHANGELOG, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.ROW_FAILED, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.OPERATOR_FAILED, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.SOURCE, LOAD + "UNCATEGORIZED");
    CONDITIONS.put(ErrorCode.OUT_OF_MEMORY, LOAD + "UNCATEGORIZED");
  }

  private static SparkThrowable raised(String id, Throwable cause) {
    return (SparkThrowable) assertThrows(
        Throwable.class, () -> { throw SparkErrors.cannotLoad(STORE, 7, id, cause); });
  }

  @ParameterizedTest
  @EnumSource
  void eachCodeHasItsConditionAndStaysTheCause(ErrorCode code) {
    EngineException cause = new EngineException(code, "why");
    SparkThrowable error = raised(null, cause);
    assertEquals(CONDITIONS.get(code), error.getCondition());
    assertEquals("58030", error.getSqlState());
    assertSame(cause, ((Throwable) error).getCause());
  }

  @Test
  void theFileIsNamedWithTheIdThatWasAskedFor() {
    EngineException cause = new EngineException(ErrorCode.VERSION_UNAVAILABLE, "why");
    String folder = "file:/state/1/2/00000000000000000007-";
    assertEquals(
        Map.of("fileToRead", folder + "*.commit"), raised(null, cause).getMessageParameters());
    assertEquals(
        Map.of("fileToRead", folder + "*.commit"), raised("a:b", cause).getMessageParameters());
    assertEquals(Map.of("fileToRead", folder + "0123456789abcdef0123.commit"),
        raised("0123456789abcdef0123", cause).getMessageParameters());
  }

  @Test
  void otherErrorsAreUncategorizedUnlessSparkHasNamedThemAlready() {
    IllegalStateException cause = new IllegalStateException("why");
    SparkThrowable error = raised(null, cause);
    assertEquals(LOAD + "UNCATEGORIZED", error.getCondition());
    assertSame(error, raised(null, (Throwable) error));
  }

  @Test
  void tooLittleMemoryHasAConditionOfItsOwn() {
    SparkThrowable error = raised(null, new OutOfMemoryError("heap"));
    assertEquals(LOAD + "ROCKSDB_STORE_PROVIDER_OUT_OF_MEMORY", error.getCondition());
    assertEquals(STORE.toString(), error.getMessageParameters().get("stateStoreId"));
    assertInstanceOf(OutOfMemoryError.class, ((Throwable) error).getCause());
  }

  @Test
  void aNegativeVersionHasAConditionOfItsOwn() {
    SparkThrowable error = (SparkThrowable) assertThrows(
        Throwable.class, () -> { throw SparkErrors.unexpectedVersion(-1); });
    assertEquals(LOAD + "UNEXPECTED_VERSION", error.getCondition());
    assertEquals(Map.of("version", "-1"), error.getMessageParameters());
  }
}
