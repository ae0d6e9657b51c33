package io.groundswell.spark.views.messages;

import io.groundswell.error.EngineException;
import io.groundswell.error.ErrorCode;

/** No server of a registry answers now; one may later. */
public final class UnansweredException extends EngineException {
  private static final long serialVersionUID = 1L;

  UnansweredException(String message) {
    super(ErrorCode.SOURCE, message);
  }
}
