package io.groundswell.spark.shims;

import com.google.common.collect.MapMaker;
import java.io.Serializable;
import java.util.UUID;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.spark.util.ChildFirstURLClassLoader;

/**
 * The class loader of a thread that planned something, for the tasks that run it in the same
 * process.
 *
 * <p>Spark compiles code where it plans it and keeps it by the class loader of the thread, since
 * 4.3; tasks of a driver have another one, so they would compile all of it again. Where theirs asks
 * the planner's first for each class, both see the same ones, and a task may ask as the planner.
 */
public final class Loaders implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String PROCESS = UUID.randomUUID().toString();
  private static final ConcurrentMap<String, ClassLoader> HERE =
      new MapMaker().weakValues().makeMap();

  private final String id;

  private Loaders(String id) {
    this.id = id;
  }

  /** That of the calling thread. */
  public static Loaders ofThread() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    String id = PROCESS + "-" + System.identityHashCode(loader);
    if (loader != null) {
      HERE.putIfAbsent(id, loader);
    }
    return new Loaders(id);
  }

  /** What a function gives that asks for classes as the planner did, if that may be. */
  public <T> T within(Supplier<T> function) {
    Thread task = Thread.currentThread();
    ClassLoader own = task.getContextClassLoader();
    ClassLoader planner = HERE.get(id);
    if (planner == null || !asksFirst(own, planner)) {
      return function.get();
    }
    task.setContextClassLoader(planner);
    try {
      return function.get();
    } finally {
      task.setContextClassLoader(own);
    }
  }

  /** Whether one loader takes each class that the other one has from it. */
  static boolean asksFirst(ClassLoader loader, ClassLoader other) {
    for (ClassLoader each = loader; each != null; each = each.getParent()) {
      if (each == other) {
        return true;
      }
      if (each instanceof ChildFirstURLClassLoader) {
        return false;
      }
    }
    return false;
  }
}
