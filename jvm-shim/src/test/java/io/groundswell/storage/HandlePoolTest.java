package io.groundswell.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandlePoolTest {
  private static final class Handle implements Closeable {
    boolean closed;

    @Override
    public void close() {
      closed = true;
    }
  }

  private final List<Handle> opened = new ArrayList<>();
  private final HandlePool<Handle> pool = new HandlePool<>(3);

  private Handle open() {
    Handle handle = new Handle();
    opened.add(handle);
    return handle;
  }

  private Handle use(String name) throws IOException {
    return pool.with(name, this::open, handle -> handle);
  }

  private long notClosed() {
    return opened.stream().filter(handle -> !handle.closed).count();
  }

  @Test
  void aFileIsOpenedOnceHoweverOftenItIsRead() throws IOException {
    Handle first = use("a");
    for (int i = 0; i < 10; i++) {
      assertEquals(first, use("a"));
    }
    assertEquals(1, opened.size());
    assertEquals(1, pool.idleHandles());
  }

  @Test
  void onlyTheLastUsedAreKeptOpen() throws IOException {
    for (int i = 0; i < 10; i++) {
      use("f" + i);
      use("f0");
      assertEquals(pool.idleHandles(), notClosed());
      assertTrue(notClosed() <= 3, notClosed() + " are open");
    }
    int before = opened.size();
    use("f0");
    use("f9");
    assertEquals(before, opened.size());
    use("f5");
    assertEquals(before + 1, opened.size());
  }

  @Test
  void namesWhoseHandlesAllBrokeAreForgotten() throws IOException {
    for (int i = 0; i < 20; i++) {
      String name = "broken" + i;
      use(name);
      assertThrows(IOException.class,
          () -> pool.with(name, this::open, handle -> { throw new IOException("on purpose"); }));
      assertEquals(0, pool.idleHandles());
      assertEquals(0, notClosed());
    }
    use("a");
    use("b");
    use("c");
    use("d");
    assertEquals(3, pool.idleHandles());
    assertEquals(3, notClosed());
  }

  @Test
  void twoThreadsNeverShareAHandleAndBothAreKept() throws IOException {
    pool.with("a", this::open, outer -> {
      assertTrue(outer != use("a"));
      return null;
    });
    assertEquals(2, opened.size());
    assertEquals(2, pool.idleHandles());
    pool.invalidate("a");
    assertEquals(0, pool.idleHandles());
    assertEquals(0, notClosed());
  }

  @Test
  void whatWasLentWhenItsFileWasReplacedIsNotKept() throws IOException {
    pool.with("a", this::open, handle -> {
      pool.invalidate("a");
      return null;
    });
    assertEquals(0, pool.idleHandles());
    assertEquals(0, notClosed());
  }
}
