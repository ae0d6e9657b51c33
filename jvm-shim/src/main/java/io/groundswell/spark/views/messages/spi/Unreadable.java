package io.groundswell.spark.views.messages.spi;

/** Why a message is no row, or a schema not of the columns; in plain words. */
public final class Unreadable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Unreadable(String why) {
    this(why, null);
  }

  public Unreadable(String why, Throwable cause) {
    super(why, cause, false, false);
  }
}
