package io.groundswell.engine;

import static io.groundswell.engine.Rows.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.groundswell.error.ErrorCode;
import io.groundswell.key.TableSpec.Layout;
import io.groundswell.storage.FileNames;
import io.groundswell.storage.ForwardingObjectStore;
import io.groundswell.storage.Mark;
import io.groundswell.storage.Reaches;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to a store between two requests of one call. */
class RacesTest extends StoreFixture {
  /** The folder, with something that happens once, after the first request of its kind. */
  private final class Interrupted extends ForwardingObjectStore {
    private final String name;
    private Runnable meanwhile;

    /** {@code name} is that of the object that is read; empty: the folder is listed. */
    Interrupted(String name, Runnable meanwhile) {
      super(folder);
      this.name = name;
      this.meanwhile = meanwhile;
    }

    private void happens() {
      Runnable once = meanwhile;
      meanwhile = () -> {};
      once.run();
    }

    @Override
    public List<ObjectInfo> list(String prefix) throws IOException {
      List<ObjectInfo> found = super.list(prefix);
      if (name.isEmpty()) {
        happens();
      }
      return found;
    }

    @Override
    public byte[] read(String of, long offset, int length) throws IOException {
      byte[] bytes = super.read(of, offset, length);
      if (of.equals(name)) {
        happens();
      }
      return bytes;
    }
  }

  private EpochStore opened(ForwardingObjectStore through) {
    return EpochStore.at(through, new StoreOptions(512, 4, 10), services);
  }

  private String nameOf(long version) {
    return FileNames.commit(version, store.versions().get(version));
  }

  @Test
  @Reaches(Mark.BATCH_ON_RETIRED_VERSION)
  void aBatchDoesNotBeginOnAVersionThatIsRetiredWhileItIsOpened() {
    for (int version = 0; version < 3; version++) {
      commit(version, "key", "" + version);
    }
    EpochStore[] other = {null};
    other[0] = opened(new Interrupted(nameOf(1), () -> other[0].retire(3)));
    assertCode(ErrorCode.VERSION_UNAVAILABLE, () -> other[0].begin(1, null));
    assertEquals(0, other[0].metrics().get("pinnedVersions"), "nothing is left of it");
    assertEquals(0, services.memTables().used());
    other[0].begin(3, null).abort();
    other[0].close();
  }

  @Test
  @Reaches(Mark.COMMIT_GONE_SINCE_LISTING)
  void aCommitThatAnotherProcessRetiresMeanwhileIsNoLongerNeeded() {
    try (EpochStore writer = EpochStore.at(folder, new StoreOptions(512, 1000, 10), services)) {
      for (int version = 0; version < 5; version++) {
        try (Transaction batch = writer.begin(version, null)) {
          put(batch, batch.createTable("t", Layout.HASHED, true), "key", "" + version);
          batch.commit();
        }
        if (version == 3) {
          assertTrue(writer.compact(4, null)); // so that the last commit needs none of the others
        }
      }
      try (EpochStore other = opened(new Interrupted("", () -> writer.retire(5)))) {
        other.retire(3);
        try (Snapshot last = other.snapshot(5, null)) {
          assertEquals(List.of("key=4"), sorted(last));
        }
      }
    }
  }
}
