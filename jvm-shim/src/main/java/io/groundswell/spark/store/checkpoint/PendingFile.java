package io.groundswell.spark.store.checkpoint;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;

/** A log's file whose bytes are handed over when it is closed. */
final class PendingFile extends CancellableFSDataOutputStream {
  /** Takes all bytes of a file. */
  @FunctionalInterface
  interface Taker {
    void take(byte[] bytes) throws IOException;
  }

  private final ByteArrayOutputStream bytes;
  private final Taker taker;
  private boolean ended;

  private PendingFile(ByteArrayOutputStream bytes, Taker taker) {
    super(bytes);
    this.bytes = bytes;
    this.taker = taker;
  }

  static PendingFile of(Taker taker) {
    return new PendingFile(new ByteArrayOutputStream(), taker);
  }

  @Override
  public synchronized void close() throws IOException {
    if (!ended) {
      ended = true;
      taker.take(bytes.toByteArray());
    }
  }

  @Override
  public synchronized void cancel() {
    ended = true;
  }
}
