package io.groundswell.storage;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats what a remote file system failed to do: a bounded number of times, within a bounded time,
 * after pauses that grow and differ from caller to caller, so that many of them do not come back
 * together. Answers (there is no such file, no permission, the object is shorter) are not failures
 * and are given at once, and a thread that is interrupted stops waiting.
 *
 * @param attempts in all, 1 or more
 * @param firstPauseMillis about the pause before the second attempt; doubles each time
 * @param limitMillis no further attempt is made so long after the first one began
 */
record Retry(int attempts, long firstPauseMillis, long limitMillis) {
  private static final Logger LOG = LoggerFactory.getLogger(Retry.class);

  /** Something that may be done again. */
  interface Operation<T> {
    T run() throws IOException;
  }

  <T> T call(String what, Operation<T> operation) throws IOException {
    long start = System.nanoTime();
    for (int attempt = 1;; attempt++) {
      try {
        return operation.run();
      } catch (IOException e) {
        long pause = pause(attempt, ThreadLocalRandom.current().nextDouble());
        long spent = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        if (!mayPass(e)) {
          throw e;
        }
        if (attempt >= attempts || spent + pause > limitMillis) {
          throw attempt == 1 ? e : failed(what, attempt, spent, e);
        }
        LOG.warn("attempt {} of {} to {} failed after {} ms, the next one in {} ms: {}", attempt,
            attempts, what, spent, pause, e.toString());
        sleep(what, pause, e);
      }
    }
  }

  /**
   * The pause after an attempt, in milliseconds: between half and all of the doubled first one.
   *
   * @param dice from 0 to 1
   */
  long pause(int attempt, double dice) {
    long whole = firstPauseMillis << Math.min(attempt - 1, 30);
    return whole / 2 + (long) (dice * (whole - whole / 2));
  }

  private static void sleep(String what, long millis, IOException cause) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException stopped =
          new InterruptedIOException("interrupted while waiting to " + what + " again: " + cause);
      stopped.initCause(cause);
      throw stopped;
    }
  }

  /** False for answers, and for a thread that is told to stop. */
  private static boolean mayPass(IOException e) {
    return !(e instanceof FileNotFoundException || e instanceof EOFException
        || e instanceof java.nio.file.NoSuchFileException || e instanceof AccessDeniedException
        || e instanceof FileAlreadyExistsException || e instanceof AccessControlException
        || e instanceof ClosedByInterruptException || Thread.currentThread().isInterrupted()
        || e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException));
  }

  private static IOException failed(String what, int attempts, long millis, IOException last) {
    return new IOException(
        "cannot " + what + " after " + attempts + " attempts in " + millis + " ms: " + last, last);
  }
}
