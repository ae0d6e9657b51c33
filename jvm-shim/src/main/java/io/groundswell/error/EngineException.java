package io.groundswell.error;

/**
 * The root of every error the engine raises on purpose; the message says what, with which values.
 */
public class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public EngineException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public EngineException(ErrorCode code, String message, Throwable cause) {
    super("[" + code + "] " + message, cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
