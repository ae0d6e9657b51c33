package io.groundswell.testing;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Stands between a storage and its user: counts what is asked, makes it slow, lets it fail. Safe
 * for many threads; plan and latency may change at any time.
 */
public final class FaultInjector {
  private static final Op[] OPS = Op.values();

  private final AtomicLongArray calls = new AtomicLongArray(OPS.length);
  private final AtomicLongArray bytes = new AtomicLongArray(OPS.length);
  private volatile FaultPlan plan = FaultPlan.NONE;
  private volatile Latency latency = Latency.NONE;

  public void plan(FaultPlan newPlan) {
    plan = newPlan;
  }

  public void latency(Latency newLatency) {
    latency = newLatency;
  }

  /** Operations of that kind so far, failed ones too. */
  public long calls(Op op) {
    return calls.get(op.ordinal());
  }

  /** Operations of all kinds. */
  public long calls() {
    long all = 0;
    for (Op op : OPS) {
      all += calls(op);
    }
    return all;
  }

  /** Bytes that were published ({@link Op#PUT}) or read ({@link Op#GET}). */
  public long bytes(Op op) {
    return bytes.get(op.ordinal());
  }

  /** {@code GET -> 12, GET.bytes -> 3400, ...}, kinds without calls left out. */
  public Map<String, Long> counters() {
    Map<String, Long> counters = new TreeMap<>();
    for (Op op : OPS) {
      if (calls(op) > 0) {
        counters.put(op.name(), calls(op));
      }
      if (bytes(op) > 0) {
        counters.put(op + ".bytes", bytes(op));
      }
    }
    return counters;
  }

  public void resetCounters() {
    for (Op op : OPS) {
      calls.set(op.ordinal(), 0);
      bytes.set(op.ordinal(), 0);
    }
  }

  /** Before an operation: its fault, if it is to take place in spite of it; else an exception. */
  Fault begin(Op op, String name) throws IOException {
    calls.incrementAndGet(op.ordinal());
    pause(latency.millis(op, name));
    Fault fault = plan.next(op, name);
    if (fault == Fault.SHORT && op == Op.GET) {
      throw new EOFException("injected: short read of " + name);
    }
    if (fault.prevents()) {
      throw injected(op, name);
    }
    return fault;
  }

  /** After an operation that took place: the error of a lost answer or a torn write. */
  void end(Fault fault, Op op, String name) throws IOException {
    if (fault == Fault.AFTER || fault == Fault.TORN) {
      throw injected(op, name);
    }
  }

  void count(Op op, long length) {
    bytes.addAndGet(op.ordinal(), length);
  }

  /** What appears of an object with that fault. */
  static byte[] content(Fault fault, byte[] object) {
    return switch (fault) {
      case TORN -> java.util.Arrays.copyOf(object, object.length / 2);
      case FLIP -> flipped(object);
      default -> object;
    };
  }

  /** A copy in which one bit, chosen by the content, is another. */
  static byte[] flipped(byte[] object) {
    byte[] copy = object.clone();
    if (copy.length > 0) {
      long mixed = java.util.Arrays.hashCode(object) * 0x9E3779B97F4A7C15L >>> 1;
      int bit = (int) (mixed % (8L * copy.length));
      copy[bit / 8] ^= (byte) (1 << bit % 8);
    }
    return copy;
  }

  private static IOException injected(Op op, String name) {
    return new IOException("injected: " + op + " of " + name);
  }

  private static void pause(long millis) throws IOException {
    if (millis > 0) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for the storage");
      }
    }
  }
}
