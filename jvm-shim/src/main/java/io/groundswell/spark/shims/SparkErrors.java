package io.groundswell.spark.shims;

import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.execution.streaming.state.StateStoreErrors$;

/** Spark's own errors, by which its operators and its users know what went wrong. */
public final class SparkErrors {
  private static final StateStoreErrors$ STORE = StateStoreErrors$.MODULE$;

  private SparkErrors() {}

  public static RuntimeException unexpectedVersion(long version) {
    return sneaky(QueryExecutionErrors.unexpectedStateStoreVersion(version));
  }

  /** Keeps an error that says CANNOT_LOAD_STATE_STORE already, wraps any other. */
  public static RuntimeException cannotLoad(Throwable cause) {
    return sneaky(STORE.cannotLoadStore(cause));
  }

  public static RuntimeException outOfMemory(String store, Throwable cause) {
    return sneaky(
        QueryExecutionErrors.notEnoughMemoryToLoadStore(store, "GROUNDSWELL_STORE", cause));
  }

  public static RuntimeException commitFailed(String store, Throwable cause) {
    return sneaky(QueryExecutionErrors.failedToCommitStateFileError(store, cause));
  }

  public static RuntimeException outOfOrder(String what) {
    return sneaky(STORE.stateStoreOperationOutOfOrder(what));
  }

  public static RuntimeException unsupported(String operation, String why) {
    return sneaky(STORE.unsupportedOperationException(operation, why));
  }

  public static RuntimeException missingFamily(String operation, String family) {
    return sneaky(STORE.unsupportedOperationOnMissingColumnFamily(operation, family));
  }

  public static RuntimeException invalidFamilyName(String operation, String family) {
    return sneaky(STORE.cannotUseColumnFamilyWithInvalidName(operation, family));
  }

  public static RuntimeException reservedFamilyName(String family) {
    return sneaky(STORE.cannotCreateColumnFamilyWithReservedChars(family));
  }

  public static RuntimeException variableSizeOrdering(String column, int index) {
    return sneaky(STORE.variableSizeOrderingColsNotSupported(column, String.valueOf(index)));
  }

  public static RuntimeException nullTypeOrdering(String column, int index) {
    return sneaky(STORE.nullTypeOrderingColsNotSupported(column, String.valueOf(index)));
  }

  /** Throws what Scala code may throw undeclared; returns only to please the compiler. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException sneaky(Throwable error) throws E {
    throw (E) error;
  }
}
