package io.groundswell.error;

/**
 * The root of every error the engine raises on purpose; the message says what, with which values.
 */
public class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final Place place;

  public EngineException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public EngineException(ErrorCode code, String message, Throwable cause) {
    this(code, null, message, cause);
  }

  /** An error at a place, which its message begins with; null: at none. */
  public EngineException(ErrorCode code, Place place, String message, Throwable cause) {
    super("[" + code + "] " + (place == null ? "" : place + ": ") + message, cause);
    this.code = code;
    this.place = place;
  }

  /** Where in a pipeline it was; null: not known. */
  public Place place() {
    return place;
  }

  /** The message without its code. */
  public String what() {
    return getMessage().substring(code.toString().length() + 3);
  }

  public ErrorCode code() {
    return code;
  }
}
