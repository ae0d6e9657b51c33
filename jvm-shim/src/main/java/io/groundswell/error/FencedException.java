package io.groundswell.error;

/** Another run has taken the checkpoint over; this one may publish nothing more. */
public final class FencedException extends EngineException {
  private static final long serialVersionUID = 1L;

  private final long token;

  /**
   * As an engine's error with the code {@code FENCED}.
   *
   * @param token of the run that ends
   */
  public FencedException(long token, String message) {
    super(ErrorCode.FENCED, message);
    this.token = token;
  }

  /** The token of the run that ends. */
  public long token() {
    return token;
  }
}
