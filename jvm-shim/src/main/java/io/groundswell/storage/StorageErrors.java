package io.groundswell.storage;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Locale;

/** Words for what the storage could not do: the file, the reason, and what to do next. */
public final class StorageErrors {
  private StorageErrors() {}

  /**
   * The error for a request that failed.
   *
   * @param what the request, after "cannot": "commit version 3 of /state/0"
   */
  public static EngineException cannot(String what, Exception cause) {
    String reason = reason(cause);
    return new EngineException(
        ErrorCode.STORAGE, "cannot " + what + ": " + reason + ". " + advice(reason), cause);
  }

  /** A failure of a file, which its message names; the system often leaves the name out. */
  static IOException of(String file, IOException failure) {
    String message = failure.getMessage();
    boolean plain = failure.getClass() == IOException.class;
    return !plain || message != null && message.contains(file)
        ? failure
        : new IOException(file + ": " + message, failure);
  }

  private static String reason(Exception cause) {
    boolean says = cause.getMessage() != null
        && !(cause instanceof FileSystemException e && e.getReason() == null);
    return says && cause instanceof IOException ? cause.getMessage() : cause.toString();
  }

  private static String advice(String reason) {
    String words = reason.toLowerCase(Locale.ROOT);
    String first = "Look after the storage";
    if (words.contains("no space") || words.contains("quota") || words.contains("disk full")) {
      first = "Make room there";
    } else if (words.contains("denied") || words.contains("permission")
        || words.contains("read-only") || words.contains("not permitted")) {
      first = "Let this process write there";
    }
    return first + ", and start again: what was published before is not lost";
  }
}
