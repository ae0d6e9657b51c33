package io.groundswell.spark.views.entry;

/** A barrier that could not be finished; its epoch was not published, a restart runs it again. */
public final class BarrierFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BarrierFailedException(long epoch, String failure) {
    super("barrier " + epoch + ": " + failure);
  }
}
