package io.groundswell.spark.shims;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import org.apache.spark.util.ChildFirstURLClassLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadersTest {
  private static final URL[] NONE = {};

  private final Thread thread = Thread.currentThread();
  private final ClassLoader own = thread.getContextClassLoader();

  @AfterEach
  void restore() {
    thread.setContextClassLoader(own);
  }

  private ClassLoader seenBelow(ClassLoader tasks) {
    Loaders planner = Loaders.ofThread();
    thread.setContextClassLoader(tasks);
    ClassLoader seen = planner.within(thread::getContextClassLoader);
    assertSame(tasks, thread.getContextClassLoader());
    return seen;
  }

  @Test
  void aTaskWhoseLoaderAsksThePlannersFirstIsGivenThePlanners() {
    assertSame(own, seenBelow(new URLClassLoader(NONE, new URLClassLoader(NONE, own))));
  }

  @Test
  void aTaskWithClassesOfItsOwnKeepsItsLoader() {
    ClassLoader first = new ChildFirstURLClassLoader(NONE, own);
    ClassLoader apart = new URLClassLoader(NONE, null);
    assertSame(first, seenBelow(first));
    restore();
    assertSame(apart, seenBelow(apart));
    restore();
    ClassLoader above = own.getParent();
    assertSame(above, seenBelow(above));
  }

  @Test
  void theLoaderIsBackAfterAFailure() {
    Loaders planner = Loaders.ofThread();
    ClassLoader tasks = new URLClassLoader(NONE, own);
    thread.setContextClassLoader(tasks);
    String said = "";
    try {
      planner.within(() -> { throw new IllegalStateException("no code"); });
    } catch (IllegalStateException e) {
      said = e.getMessage();
    }
    assertEquals("no code", said);
    assertSame(tasks, thread.getContextClassLoader());
  }

  @Test
  void aLoaderAsksItselfAndThoseAboveIt() {
    assertTrue(Loaders.asksFirst(own, own));
    assertFalse(Loaders.asksFirst(own, new URLClassLoader(NONE, own)));
    assertFalse(Loaders.asksFirst(null, own));
  }
}
