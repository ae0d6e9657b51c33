package io.groundswell.storage;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats what a remote file system failed to do, a bounded number of times with growing pauses.
 *
 * @param attempts in all, 1 or more
 * @param firstPauseMillis before the second attempt; doubles each time
 */
record Retry(int attempts, long firstPauseMillis) {
  /** Something that may be done again. */
  interface Operation<T> {
    T run() throws IOException;
  }

  <T> T call(String what, Operation<T> operation) throws IOException {
    long pause = firstPauseMillis;
    for (int attempt = 1;; attempt++) {
      try {
        return operation.run();
      } catch (IOException e) {
        if (attempt >= attempts || !mayPass(e)) {
          throw attempt == 1 ? e : failed(what, attempt, e);
        }
      }
      LockSupport.parkNanos(pause * 1_000_000);
      pause *= 2;
    }
  }

  /** False for answers (there is no such file) and for a thread that is told to stop. */
  private static boolean mayPass(IOException e) {
    return !(e instanceof FileNotFoundException || e instanceof EOFException
        || e instanceof InterruptedIOException || e instanceof ClosedByInterruptException
        || e instanceof org.apache.hadoop.security.AccessControlException
        || Thread.currentThread().isInterrupted());
  }

  private static IOException failed(String what, int attempts, IOException last) {
    return new IOException("cannot " + what + " after " + attempts + " attempts: " + last, last);
  }
}
