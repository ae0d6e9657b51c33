package io.groundswell.engine;

/** CONTRACT STUB: what all stores of a JVM share: block cache, compaction threads, open tables. */
public final class EngineServices implements AutoCloseable {
  /** The JVM's own, made on first use with default sizes. */
  public static EngineServices shared() {
    throw new UnsupportedOperationException();
  }

  /** For tests: separate from the shared one. */
  public static EngineServices create(long cacheBytes, int compactionThreads) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
