package io.groundswell.checkpoint;

import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.ObjectStore.ObjectWriter;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * Where one commit of one store goes: into an object of its own, or into a pack, which it shares
 * with commits of other stores and which somebody else makes durable.
 */
public interface Destination {
  /** An object of its own, durable at once. */
  Destination ALONE = new Destination() {};

  /** An object of its own that stays in memory where its folder can keep it there. */
  Destination PENDING = new Destination() {
    @Override
    public ObjectWriter create(ObjectStore folder, String name) throws IOException {
      return folder.createPending(name);
    }
  };

  /** Whether a commit that holds about so many bytes in memory goes into a pack. */
  default boolean packs(long memoryBytes) {
    return false;
  }

  /**
   * Takes a commit into a pack; from now on it can be read from there in this process. May wait for
   * memory.
   *
   * @param id of the commit, unless the pack has one for all of its commits
   * @param sections all that stands before the manifest
   * @return packs that are mostly dead: what the version has in them should be rewritten
   */
  default Set<String> pack(String id, long version, long memoryBytes, byte[] sections, Tail tail)
      throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Begins the commit's own object. */
  default ObjectWriter create(ObjectStore folder, String name) throws IOException {
    return folder.create(name);
  }

  /**
   * Says that a commit has made its own object, and which packs the version needs.
   *
   * @return as {@link #pack}
   */
  default Set<String> published(String id, long length, Map<String, Long> packs)
      throws IOException {
    return Set.of();
  }

  /** What follows a commit's rows, once it is known where they are. */
  interface Tail {
    /** The bytes that follow the rows, if the commit is that one and starts there. */
    byte[] at(String id, String pack, long offset);

    /** All packs that the version needs, with its bytes in each; asked after {@link #at}. */
    Map<String, Long> packs();
  }
}
