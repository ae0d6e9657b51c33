package io.groundswell.checkpoint;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** How one store's commit of one version may be made durable later, by whoever waits for it. */
public interface DeferredCommit {
  /** What follows a commit's rows, once it is known where they are. */
  interface Tail {
    /** The bytes that follow the rows, if these start at {@code offset} of {@code pack}. */
    byte[] at(String pack, long offset);

    /** All packs that the version needs, with its bytes in each; asked after {@link #at}. */
    Map<String, Long> packs();
  }

  /** Larger commits must make their own object at once. */
  long maxBytes();

  /**
   * Takes a commit over: its bytes can be read from its pack from now on in this JVM, and whoever
   * lets the batch be recorded knows that it must be made durable first. Waits for memory.
   *
   * @param sections all that stands before the manifest
   * @return packs that are mostly dead: what the version has in them should be rewritten
   */
  Set<String> seal(String id, byte[] sections, Tail tail) throws IOException;

  /**
   * Says that a commit has made its own object, and which packs the version needs.
   *
   * @return as {@link #seal}
   */
  Set<String> published(String id, long length, Map<String, Long> packs) throws IOException;
}
