package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RetryTest {
  private final AtomicInteger calls = new AtomicInteger();

  private Retry.Operation<String> failing(int times, IOException with) {
    return () -> {
      if (calls.incrementAndGet() <= times) {
        throw with;
      }
      return "done";
    };
  }

  @Test
  void whatPassesIsTriedAgainABoundedNumberOfTimes() throws IOException {
    Retry retry = new Retry(4, 1, 10_000);
    assertEquals("done", retry.call("read x", failing(3, new IOException("reset"))));
    assertEquals(4, calls.getAndSet(0));
    IOException e = assertThrows(
        IOException.class, () -> retry.call("read x", failing(4, new IOException("reset"))));
    assertTrue(e.getMessage().startsWith("cannot read x after 4 attempts in "), e.getMessage());
    assertTrue(e.getMessage().contains("reset"), e.getMessage());
  }

  @Test
  void noAttemptBeginsPastTheLimit() {
    Retry retry = new Retry(100, 40, 30);
    calls.set(0);
    IOException e = assertThrows(
        IOException.class, () -> retry.call("list x", failing(100, new IOException("slow down"))));
    assertTrue(calls.get() <= 3, calls + " calls: " + e);
  }

  @Test
  void answersAreNotFailures() {
    Retry retry = new Retry(4, 1, 10_000);
    for (IOException answer : new IOException[] {
             new FileNotFoundException(), new EOFException(), new InterruptedIOException()}) {
      calls.set(0);
      assertEquals(
          answer, assertThrows(IOException.class, () -> retry.call("read x", failing(4, answer))));
      assertEquals(1, calls.get());
    }
  }

  @Test
  void anInterruptEndsTheWait() {
    Thread task = Thread.currentThread();
    Retry retry = new Retry(4, 60_000, 600_000);
    Retry.Operation<String> operation = () -> {
      new Thread(task::interrupt).start();
      throw new IOException("reset");
    };
    IOException e = assertThrows(IOException.class, () -> retry.call("read x", operation));
    assertTrue(Thread.interrupted(), "and stays set");
    assertTrue(e instanceof InterruptedIOException || e.getMessage().equals("reset"), e.toString());
  }

  @Test
  void pausesDoubleAndDiffer() {
    Retry retry = new Retry(10, 100, 60_000);
    assertEquals(50, retry.pause(1, 0));
    assertEquals(100, retry.pause(1, 1));
    assertEquals(200, retry.pause(3, 0));
    assertEquals(400, retry.pause(3, 1));
  }
}
