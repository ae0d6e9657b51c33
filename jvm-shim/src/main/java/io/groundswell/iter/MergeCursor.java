package io.groundswell.iter;

import io.groundswell.key.InternalKey;

/**
 * Several cursors as one, in internal-key order; of equal keys the newer source's comes first.
 * Final and without indirection in its loop: a binary heap of source numbers, of which the root is
 * replaced in place. Beside each number stand the first bytes of its key, which decide nearly all
 * comparisons (they hold table and hash) without a look at the key.
 */
public final class MergeCursor extends EntryCursor {
  private final EntryCursor[] sources;
  private final int[] heap;

  /** By place in the heap: {@link InternalKey#head} of the source's key. */
  private final long[] heads;

  private int size;

  public MergeCursor(EntryCursor[] newestFirst) {
    sources = newestFirst.clone();
    heap = new int[sources.length];
    heads = new long[sources.length];
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
        heads[size] = InternalKey.head(sources[i].key, sources[i].keyLength);
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
    if (top.valid) {
      heads[0] = InternalKey.head(top.key, top.keyLength);
    } else {
      heap[0] = heap[--size];
      heads[0] = heads[size];
    }
    if (size > 1) {
      sink(0);
    }
    take();
  }

  private void sink(int start) {
    int hole = start;
    int moving = heap[hole];
    long head = heads[hole];
    int child = 2 * hole + 1;
    while (child < size) {
      if (child + 1 < size
          && before(heads[child + 1], heap[child + 1], heads[child], heap[child])) {
        child++;
      }
      if (before(head, moving, heads[child], heap[child])) {
        break;
      }
      heap[hole] = heap[child];
      heads[hole] = heads[child];
      hole = child;
      child = 2 * hole + 1;
    }
    heap[hole] = moving;
    heads[hole] = head;
  }

  private boolean before(long headA, int a, long headB, int b) {
    if (headA != headB) {
      return headA < headB;
    }
    EntryCursor x = sources[a];
    EntryCursor y = sources[b];
    int order = InternalKey.compare(x.key, x.keyLength, y.key, y.keyLength);
    return order < 0 || order == 0 && a < b;
  }

  /** Shows the root's entry, which is valid if there is one. */
  private void take() {
    if (size > 0) {
      show(sources[heap[0]]);
    } else {
      valid = false;
    }
  }
}
