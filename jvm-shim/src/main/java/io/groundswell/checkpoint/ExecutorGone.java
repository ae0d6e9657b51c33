package io.groundswell.checkpoint;

import java.io.IOException;

/** The process that held commits has ended; nobody can build on them any more. */
public final class ExecutorGone extends IOException {
  private static final long serialVersionUID = 1L;

  public ExecutorGone(String executor, String reason) {
    super("executor " + executor + " is gone: " + reason);
  }
}
