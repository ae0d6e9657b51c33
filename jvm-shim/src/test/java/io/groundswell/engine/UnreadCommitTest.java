package io.groundswell.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.groundswell.checkpoint.CommitSpace;
import io.groundswell.checkpoint.Destination;
import io.groundswell.checkpoint.FinishedCommit;
import io.groundswell.storage.Mark;
import io.groundswell.storage.ObjectStore;
import io.groundswell.storage.Reaches;
import io.groundswell.testing.MemoryObjectStore;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The pack of a commit that stays is cut short when retirement reads it. */
class UnreadCommitTest {
  private static final String OLDER = "00000000000000000005-0000000003afb87e3167.commit";
  private final MemoryObjectStore folder = new MemoryObjectStore();

  /** Commits in packs of which none can be read. */
  private record Short(ObjectStore folder, long version) implements CommitSpace {
    @Override
    public ObjectStore route(ObjectStore own) {
      return folder;
    }

    @Override
    public List<ObjectStore.ObjectInfo> objectsToRetire() throws IOException {
      return folder.list("");
    }

    @Override
    public boolean isNamed() {
      return true;
    }

    @Override
    public boolean holds(String id) {
      return true;
    }

    @Override
    public Destination destination(long number) {
      return Destination.ALONE;
    }

    @Override
    public FinishedCommit find(long number, String id) throws IOException {
      throw new EOFException();
    }

    @Override
    public Newest newest(long number) throws IOException {
      throw new EOFException();
    }

    @Override
    public long newestVersion() {
      return version;
    }

    @Override
    public NavigableMap<Long, FinishedCommit> from(long number) throws IOException {
      throw new EOFException();
    }

    @Override
    public List<Map.Entry<Long, FinishedCommit>> all(long number) {
      FinishedCommit commit = new FinishedCommit(
          "0/2", "0000000003bab424d634", "00000000000000000008-0000000002af.pack", 0, 99, Map.of());
      return List.of(Map.entry(version, commit));
    }
  }

  private List<?> retire(long oldest, long packed) throws IOException {
    return new Retirement(folder, new Short(folder, packed))
        .run(folder.list(""), oldest, oldest, Set.of());
  }

  @Test
  @Reaches(Mark.OLDEST_COMMIT_UNREAD)
  void whatTheOldestMayNeedStays() throws IOException {
    folder.putNew(OLDER, new byte[] {1});
    assertEquals(List.of(), retire(8, 8));
    assertEquals(1, folder.list("").size());
  }

  @Test
  void aLaterCommitNeedsWhatItsBaseNeeds() throws IOException {
    folder.putNew(OLDER, new byte[] {1});
    assertEquals(1, retire(8, 9).size());
  }
}
