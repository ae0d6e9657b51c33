package io.groundswell.sst;

import io.groundswell.iter.EntryCursor;

/** CONTRACT STUB, body follows: all entries of one SST. */
public final class SstCursor extends EntryCursor {
  @Override
  public void seekToFirst() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void next() {
    throw new UnsupportedOperationException();
  }
}
