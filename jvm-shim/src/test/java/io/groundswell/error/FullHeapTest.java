package io.groundswell.error;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A full heap is found behind what a reader of files makes of it. */
class FullHeapTest {
  private final OutOfMemoryError full = new OutOfMemoryError("Java heap space");

  @Test
  void isFoundAmongTheCauses() {
    assertSame(full, FullHeap.within(full));
    assertSame(full, FullHeap.within(new IOException("reads a file", new Exception(full))));
  }

  @Test
  void isNotFoundWhereThereIsNone() {
    assertNull(FullHeap.within(new IOException("reads a file", new Exception("broken"))));
    assertNull(FullHeap.within(FullHeap.error(null, "someone", full, 1 << 20, "nothing")));
  }

  @Test
  void aCircleOfCausesEnds() {
    Exception one = new Exception("one");
    one.initCause(new Exception("other", one));
    assertNull(FullHeap.within(one));
  }
}
