package io.groundswell.storage;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Open files that are kept for the next read. A handle is lent to one thread at a time, so whatever
 * an interrupt does to it harms no one else. At most {@code maxIdle} are kept, those used last.
 */
final class HandlePool<H extends Closeable> {
  /** Opens a file for reading. */
  interface Opener<H> {
    H open() throws IOException;
  }

  /** Work with a handle that this thread has for itself. */
  interface Action<H, T> {
    T run(H handle) throws IOException;
  }

  private final int maxIdle;

  // Guarded by this. Names whose handles were used last stand last; all of one name's may be lent.
  private final Map<String, ArrayDeque<H>> idle = new LinkedHashMap<>(16, 0.75f, true);
  private int idleCount;
  private long invalidations;

  HandlePool(int maxIdle) {
    this.maxIdle = maxIdle;
  }

  /** Runs the action with a kept handle of that name, or a new one. */
  <T> T with(String name, Opener<H> opener, Action<H, T> action) throws IOException {
    H handle;
    long seen;
    synchronized (this) {
      seen = invalidations;
      handle = take(name);
    }
    if (handle == null) {
      handle = opener.open();
    }
    boolean good = false;
    try {
      T result = action.run(handle);
      good = true;
      return result;
    } finally {
      H surplus = good ? keep(name, handle, seen) : handle;
      if (surplus != null) {
        closeQuietly(surplus);
      }
    }
  }

  private H take(String name) {
    ArrayDeque<H> handles = idle.get(name);
    if (handles == null) {
      return null;
    }
    H handle = handles.pollLast();
    idleCount -= handle == null ? 0 : 1;
    return handle;
  }

  /** Keeps a handle; returns one to close instead, if any. */
  private synchronized H keep(String name, H handle, long seen) {
    if (seen != invalidations || maxIdle == 0) {
      return handle;
    }
    idle.computeIfAbsent(name, any -> new ArrayDeque<>(2)).addLast(handle);
    idleCount++;
    return idleCount > maxIdle || idle.size() > maxIdle ? dropEldest() : null;
  }

  /** Takes out a handle of the name that was used least lately and has one. */
  private H dropEldest() {
    Iterator<ArrayDeque<H>> all = idle.values().iterator();
    H eldest = null;
    while (eldest == null && all.hasNext()) {
      ArrayDeque<H> handles = all.next();
      eldest = handles.pollLast();
      if (handles.isEmpty()) {
        all.remove();
      }
    }
    idleCount -= eldest == null ? 0 : 1;
    return eldest;
  }

  /** Forgets the handles of that name: the file was deleted or replaced. */
  void invalidate(String name) {
    ArrayDeque<H> closed;
    synchronized (this) {
      invalidations++;
      closed = idle.remove(name);
      idleCount -= closed == null ? 0 : closed.size();
    }
    if (closed != null) {
      closed.forEach(HandlePool::closeQuietly);
    }
  }

  /** Forgets the handles of all names that start so. */
  void invalidateAll(String prefix) {
    ArrayDeque<H> closed = new ArrayDeque<>();
    synchronized (this) {
      invalidations++;
      Iterator<Map.Entry<String, ArrayDeque<H>>> all = idle.entrySet().iterator();
      while (all.hasNext()) {
        Map.Entry<String, ArrayDeque<H>> one = all.next();
        if (one.getKey().startsWith(prefix)) {
          closed.addAll(one.getValue());
          idleCount -= one.getValue().size();
          all.remove();
        }
      }
    }
    closed.forEach(HandlePool::closeQuietly);
  }

  synchronized int idleHandles() {
    return idleCount;
  }

  private static void closeQuietly(Closeable handle) {
    try {
      handle.close();
    } catch (IOException e) {
      // It was only read from: nothing can be lost.
    }
  }
}
