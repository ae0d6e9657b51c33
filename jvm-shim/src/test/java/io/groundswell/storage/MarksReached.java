package io.groundswell.storage;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Fails a test that ends well and has not reached a mark that it {@link Reaches}. */
final class MarksReached implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
  private static final Namespace OWN = Namespace.create(MarksReached.class);

  @Override
  public void beforeTestExecution(ExtensionContext test) {
    test.getStore(OWN).put(test.getUniqueId(), hits(marks(test)));
  }

  @Override
  public void afterTestExecution(ExtensionContext test) {
    Mark[] marks = marks(test);
    long[] before = test.getStore(OWN).get(test.getUniqueId(), long[].class);
    if (test.getExecutionException().isEmpty()) {
      List<Mark> missed = missed(marks, before);
      if (!missed.isEmpty()) {
        throw new AssertionError(test.getRequiredTestMethod().getName() + " reached none of "
            + missed + ": make it take these branches, or let another test do so");
      }
    }
  }

  private static Mark[] marks(ExtensionContext test) {
    return test.getRequiredTestMethod().getAnnotation(Reaches.class).value();
  }

  static long[] hits(Mark... marks) {
    return Arrays.stream(marks).mapToLong(Mark::hits).toArray();
  }

  /** The marks that were hit no more often than before. */
  static List<Mark> missed(Mark[] marks, long[] before) {
    return Arrays.stream(marks)
        .filter(mark -> mark.hits() == before[Arrays.asList(marks).indexOf(mark)])
        .toList();
  }
}
