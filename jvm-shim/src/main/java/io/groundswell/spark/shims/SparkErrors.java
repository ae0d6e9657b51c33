package io.groundswell.spark.shims;

import io.groundswell.error.EngineException;
import io.groundswell.storage.FileNames;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.execution.streaming.state.StateStoreErrors$;
import org.apache.spark.sql.execution.streaming.state.StateStoreId;

/**
 * Spark's own errors, by which its operators and its users know what went wrong. This is the one
 * place that knows which of Spark's conditions stands for which of the engine's codes.
 */
public final class SparkErrors {
  /**
   * Spark has a condition for too little memory for each of its providers, and none for others;
   * ours passes for this one.
   */
  private static final String PROVIDER = "ROCKSDB_STORE_PROVIDER";

  private static final StateStoreErrors$ STORE = StateStoreErrors$.MODULE$;

  private SparkErrors() {}

  public static RuntimeException unexpectedVersion(long version) {
    return sneaky(QueryExecutionErrors.unexpectedStateStoreVersion(version));
  }

  /**
   * Why a version cannot be opened, in Spark's words. What says CANNOT_LOAD_STATE_STORE already
   * stays as it is.
   *
   * @param store whose version it is; null if its provider was not initialised
   * @param id of the commit that was asked for; null if any would have done
   */
  public static RuntimeException cannotLoad(
      StateStoreId store, long version, String id, Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      return sneaky(
          QueryExecutionErrors.notEnoughMemoryToLoadStore(store.toString(), PROVIDER, cause));
    }
    if (!(cause instanceof EngineException error)) {
      return sneaky(STORE.cannotLoadStore(cause));
    }
    // No default: a new code has to be placed here before this compiles.
    return sneaky(switch (error.code()) {
      case VERSION_UNAVAILABLE ->
        QueryExecutionErrors.failedToReadStreamingStateFileError(commit(store, version, id), error);
      // Spark's finer conditions name parts of files of its own formats; ours is in the cause.
      case CORRUPTION, FORMAT_TOO_NEW, INVALID_ARGUMENT, ILLEGAL_STATE, STORAGE, CHECKPOINT_LOST,
          FENCED, INCONSISTENT_CHANGELOG, ROW_FAILED, OPERATOR_FAILED, SOURCE, OUT_OF_MEMORY ->
        STORE.cannotLoadStore(error);
    });
  }

  /** The file that was looked for; a star stands for an id that nobody named, or that is none. */
  private static Path commit(StateStoreId store, long version, String id) {
    boolean named = id != null && FileNames.isId(id);
    String name = FileNames.versionPrefix(version) + (named ? id : "*");
    return new Path(store.storeCheckpointLocation(), name + FileNames.COMMIT_SUFFIX);
  }

  /** A snapshot to start from is not there. Spark's RocksDB provider has no name for that. */
  public static RuntimeException missingSnapshot(Throwable cause) {
    return sneaky(STORE.cannotLoadStore(cause));
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
