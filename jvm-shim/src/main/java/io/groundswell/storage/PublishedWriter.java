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
    try {
      out.write(b);
    } catch (IOException e) {
      throw StorageErrors.of(target, e);
    }
  }

  @Override
  public final void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw StorageErrors.of(target, e);
    }
  }

  @Override
  public final void flush() throws IOException {
    try {
      out.flush();
    } catch (IOException e) {
      throw StorageErrors.of(target, e);
    }
  }

  @Override
  public final void commit() throws IOException {
    if (done) {
      throw new IOException(target + " is committed or closed already");
    }
    try {
      publish();
    } catch (IOException e) {
      throw StorageErrors.of(target, e);
    }
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
