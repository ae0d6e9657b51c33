package io.groundswell.iter;

import io.groundswell.key.InternalKey;

/**
 * Several cursors as one, in internal-key order; of equal keys the newer source's comes first.
 * Final and without indirection in its loop: a binary heap of source numbers, of which the root is
 * replaced in place.
 */
public final class MergeCursor extends EntryCursor {
  private final EntryCursor[] sources;
  private final int[] heap;
  private int size;

  public MergeCursor(EntryCursor[] newestFirst) {
    sources = newestFirst.clone();
    heap = new int[sources.length];
  }

  @Override
  public void seekToFirst() {
    for (EntryCursor source : sources) {
      source.seekToFirst();
    }
    build();
  }

  @Override
  public void seek(byte[] target, int targetLength) {
    for (EntryCursor source : sources) {
      source.seek(target, targetLength);
    }
    build();
  }

  private void build() {
    size = 0;
    for (int i = 0; i < sources.length; i++) {
      if (sources[i].valid) {
        heap[size++] = i;
      }
    }
    for (int i = (size >>> 1) - 1; i >= 0; i--) {
      sink(i);
    }
    take();
  }

  @Override
  public void next() {
    EntryCursor top = sources[heap[0]];
    top.next();
    if (!top.valid) {
      heap[0] = heap[--size];
    }
    if (size > 1) {
      sink(0);
    }
    take();
  }

  private void sink(int hole) {
    int moving = heap[hole];
    int child = 2 * hole + 1;
    while (child < size) {
      if (child + 1 < size && before(heap[child + 1], heap[child])) {
        child++;
      }
      if (before(moving, heap[child])) {
        break;
      }
      heap[hole] = heap[child];
      hole = child;
      child = 2 * hole + 1;
    }
    heap[hole] = moving;
  }

  private boolean before(int a, int b) {
    EntryCursor x = sources[a];
    EntryCursor y = sources[b];
    int order = InternalKey.compare(x.key, x.keyLength, y.key, y.keyLength);
    return order < 0 || order == 0 && a < b;
  }

  /** Shows the root's entry; the key array is the source's own. */
  private void take() {
    valid = size > 0;
    if (valid) {
      EntryCursor top = sources[heap[0]];
      key = top.key;
      keyLength = top.keyLength;
      value = top.value;
      valueOffset = top.valueOffset;
      valueLength = top.valueLength;
      delete = top.delete;
    }
  }
}
