package io.groundswell.storage;

import java.io.IOException;
import java.io.OutputStream;

/**
 * An object that is written to a stream and then published, once; or else discarded, once. Names
 * what is not done yet, so that the two ways exclude each other however they are called.
 */
abstract class PublishedWriter extends ObjectStore.ObjectWriter {
  private final String target;
  private final OutputStream out;
  private boolean done;

  PublishedWriter(String target, OutputStream out) {
    this.target = target;
    this.out = out;
  }

  /** Completes the bytes and makes them visible; may be tried once. */
  abstract void publish() throws IOException;

  /** Removes every trace of the object, which was not published. */
  abstract void discard() throws IOException;

  @Override
  public final void write(int b) throws IOException {
    out.write(b);
  }

  @Override
  public final void write(byte[] bytes, int offset, int length) throws IOException {
    out.write(bytes, offset, length);
  }

  @Override
  public final void flush() throws IOException {
    out.flush();
  }

  @Override
  public final void commit() throws IOException {
    if (done) {
      throw new IOException(target + " is committed or closed already");
    }
    publish();
    done = true;
  }

  @Override
  public final void close() throws IOException {
    if (!done) {
      done = true;
      discard();
    }
  }
}
